const { ModuleProvider, Modules } = require('@medusajs/framework/utils');
const { LevyTaxProvider } = require('../../levy.cjs');

module.exports = ModuleProvider(Modules.TAX, { services: [LevyTaxProvider] });
