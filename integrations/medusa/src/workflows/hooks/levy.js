const { MedusaError } = require('@medusajs/framework/utils');
const { StepResponse } = require('@medusajs/framework/workflows-sdk');
const { completeCartWorkflow, updateTaxLinesWorkflow, upsertTaxLinesWorkflow } = require('@medusajs/medusa/core-flows');
const { refusalOf, taxLineContext } = require('../../levy.cjs');

const setTaxLineContext = async ({ cart }, { container }) => new StepResponse(await taxLineContext(cart.id, container));

updateTaxLinesWorkflow.hooks.setTaxLineContext(setTaxLineContext);
upsertTaxLinesWorkflow.hooks.setTaxLineContext(setTaxLineContext);
completeCartWorkflow.hooks.validate(async ({ cart }, { container }) => {
  const refusal = await refusalOf(container, cart.id);
  if (refusal) throw new MedusaError(MedusaError.Types.NOT_ALLOWED, refusal);
});
