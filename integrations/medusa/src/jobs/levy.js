const { reconcileJob } = require('../levy.cjs');

exports.default = reconcileJob;
exports.config = { name: 'levy-reconcile', schedule: process.env.LEVY_RECONCILE ?? '15 3 * * *' };
