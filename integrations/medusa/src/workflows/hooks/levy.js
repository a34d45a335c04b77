const { MedusaError } = require('@medusajs/framework/utils');
const { StepResponse } = require('@medusajs/framework/workflows-sdk');
const flows = require('@medusajs/medusa/core-flows');
const { orderTaxLineContext, readRefusal, taxLineContext } = require('../../levy.cjs');

const setTaxLineContext = async ({ cart }, { container }) => new StepResponse(await taxLineContext(cart.id, container));

flows.updateTaxLinesWorkflow.hooks.setTaxLineContext(setTaxLineContext);
flows.upsertTaxLinesWorkflow.hooks.setTaxLineContext(setTaxLineContext);
flows.updateOrderTaxLinesWorkflow.hooks.setTaxLineContext(
  async (input, { container }) => new StepResponse(await orderTaxLineContext(input, container)),
);
flows.completeCartWorkflow.hooks.validate(async ({ cart }, { container }) => {
  const refusal = await readRefusal(container, cart.id);
  if (refusal) throw new MedusaError(MedusaError.Types.NOT_ALLOWED, refusal);
});
