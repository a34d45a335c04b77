const { defineMiddlewares } = require('@medusajs/framework/http');
const { refreshPaymentCollectionForCartWorkflow, updateTaxLinesWorkflow } = require('@medusajs/medusa/core-flows');
const { cartOfCollection, retax } = require('../levy.cjs');

const workflows = { refreshPaymentCollectionForCartWorkflow, updateTaxLinesWorkflow };
const before = (getCartId) => async (req, _res, next) => {
  try {
    const id = await getCartId(req);
    if (id) await retax(req.scope, id, workflows);
    next();
  } catch (error) {
    next(error);
  }
};

exports.default = defineMiddlewares({
  routes: [
    { matcher: '/store/payment-collections', methods: ['POST'], middlewares: [before(({ body }) => body.cart_id)] },
    {
      matcher: '/store/payment-collections/:id/payment-sessions',
      methods: ['POST'],
      middlewares: [before(({ scope, params }) => cartOfCollection(scope, params.id))],
    },
  ],
});
