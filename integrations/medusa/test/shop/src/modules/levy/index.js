const { ModuleProvider, Modules } = require('@medusajs/framework/utils');
const { LevyTaxProvider } = require('../../../../../dist/levy.cjs');

module.exports = ModuleProvider(Modules.TAX, { services: [LevyTaxProvider] });
