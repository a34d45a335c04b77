# The local service (`npm start`), not a deployment: that is serverless.
FROM node:24-bookworm-slim AS build
WORKDIR /levy
COPY . .
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
WORKDIR /levy
COPY --from=build --chown=node:node /levy .
RUN install -d -o node -g node /data
USER node
ENV HOST=0.0.0.0 PORT=3000
EXPOSE 3000
CMD ["node", "infra/local/start.ts"]
