const { onOrderEvent, orderEvents } = require('../../../../dist/levy.cjs');

exports.default = onOrderEvent;
exports.config = { event: orderEvents };
