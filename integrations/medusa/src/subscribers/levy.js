const { onOrderEvent, orderEvents } = require('../levy.cjs');

exports.default = onOrderEvent;
exports.config = { event: orderEvents };
