const { defineConfig } = require('@medusajs/framework/utils');

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    http: {
      storeCors: '*',
      adminCors: '*',
      authCors: '*',
      jwtSecret: 'test',
      cookieSecret: 'test',
    },
  },
  modules: [
    {
      resolve: '@medusajs/medusa/tax',
      options: { providers: [{ resolve: './src/modules/levy', id: 'levy', options: {} }] },
    },
  ],
});
