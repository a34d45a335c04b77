import {
  LanguageCode,
  PluginCommonModule,
  type RuntimeVendureConfig,
  type TaxLineCalculationStrategy,
  VendurePlugin,
} from '@vendure/core';
import { fulfillments } from './cart.ts';
import { createInputReader } from './cart-input.ts';
import { checkOptions, type LevyOptions } from './options.ts';
import { createGuard, type Guard, orderProcess } from './order-process.ts';
import { createSurcharges, type Surcharges, shippingCalculator } from './shipping.ts';
import { createTaxReader, type ReadTax } from './tax.ts';
import { LevyOrderTaxStrategy, linesFor } from './tax-lines.ts';

const text = (value: string) => [{ languageCode: LanguageCode.en, value }];

/** Calls Levy once per order; the calls for the other lines are cache hits. */
const taxLineStrategy = (readTax: ReadTax, guard: Guard, surcharges: Surcharges): TaxLineCalculationStrategy => ({
  init: surcharges.init,
  calculate: async ({ ctx, order, orderLine, applicableTaxRate }) => {
    const tax = await readTax(ctx, order);
    guard(order, tax);
    await surcharges.write(ctx, tax, order);
    return linesFor(tax, orderLine, applicableTaxRate);
  },
});

/**
 * Gets US sales tax from Levy at checkout, and records each sale, refund and cancellation in its ledger. Add
 * `LevyPlugin.init(options)` to the plugins, and use the shipping calculator `levy-shipping`.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: Vendure takes plugins as classes.
export class LevyPlugin {
  static options: LevyOptions;

  /** Throws `RangeError` for an invalid option. */
  static init(options: LevyOptions): typeof LevyPlugin {
    checkOptions(options);
    LevyPlugin.options = options;
    return LevyPlugin;
  }
}

type RefundProcess = NonNullable<RuntimeVendureConfig['paymentOptions']['refundProcess']>[number];

/**
 * The time at which a refund was settled, which determines the filing period of its credit and the order of the
 * credits.
 */
const refundProcess: RefundProcess = {
  onTransitionStart: (_from, to, { refund }) => {
    const levySettledAt = new Date();
    if (to === 'Settled') refund.customFields = { ...refund.customFields, levySettledAt } as typeof refund.customFields;
  },
};

const configuration = (config: RuntimeVendureConfig): RuntimeVendureConfig => {
  const { options } = LevyPlugin;
  const inputs = createInputReader(options);
  const readTax = createTaxReader(options, inputs);
  const guard = createGuard(options);
  const surcharges = createSurcharges();
  config.taxOptions.taxLineCalculationStrategy = taxLineStrategy(readTax, guard, surcharges);
  config.taxOptions.orderTaxCalculationStrategy = new LevyOrderTaxStrategy();
  config.shippingOptions.shippingCalculators = [
    ...(config.shippingOptions.shippingCalculators ?? []),
    shippingCalculator(readTax, guard, surcharges),
  ];
  config.orderOptions.process = [...(config.orderOptions.process ?? []), orderProcess(options, readTax, inputs)];
  config.paymentOptions.refundProcess = [...(config.paymentOptions.refundProcess ?? []), refundProcess];
  config.customFields.ProductVariant.push(
    {
      name: 'levyTaxCode',
      type: 'string',
      nullable: true,
      label: text('Product tax code (GET /product-tax-codes of Levy)'),
    },
    {
      name: 'levyFulfillment',
      type: 'string',
      nullable: true,
      options: fulfillments.map((value) => ({ value })),
      label: text(
        'How the buyer receives it; overrides the product tax code (shipping charges apply to shipped products)',
      ),
    },
  );
  config.customFields.Order.push(
    { name: 'levySale', type: 'text', nullable: true, internal: true },
    {
      name: 'levyEstimated',
      type: 'boolean',
      nullable: true,
      readonly: true,
      public: false,
      label: text("Taxed with the shop's tax rate, because Levy returned no tax"),
    },
  );
  config.customFields.Refund.push({ name: 'levySettledAt', type: 'datetime', nullable: true, internal: true });
  return config;
};

VendurePlugin({ imports: [PluginCommonModule], configuration, compatibility: '^3.6.0' })(LevyPlugin);
