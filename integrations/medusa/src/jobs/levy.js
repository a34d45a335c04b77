const { reconcileOrders } = require('../levy.cjs');

const day = (ago) => new Date(Date.now() - ago * 24 * 60 * 60_000).toISOString().slice(0, 10);

exports.default = async (container) => {
  const { recorded, problems, extra } = await reconcileOrders(container, { from: day(3), to: day(0) });
  const logger = container.resolve('logger');
  for (const { reference, code, detail } of problems) logger.error(`Levy: ${reference}: ${code}: ${detail}`);
  for (const { reference_id, transaction_id } of extra)
    logger.error(`Levy has ${reference_id ?? transaction_id}, but no order of this shop matches it.`);
  logger.info(`Levy: ${recorded.length} recorded, ${problems.length} problems, ${extra.length} extra`);
};
exports.config = { name: 'levy-reconcile', schedule: process.env.LEVY_RECONCILE ?? '15 3 * * *' };
