import {
  ConfigService,
  type Injector,
  LanguageCode,
  type Order,
  type OrderProcess,
  OrderService,
  PluginCommonModule,
  type RequestContext,
  type RuntimeVendureConfig,
  ShippingCalculator,
  type TaxLineCalculationStrategy,
  TransactionalConnection,
  VendurePlugin,
} from '@vendure/core';
import { noTaxMessage } from '../core/quotes.ts';
import type { LevyOptions } from './options.ts';
import { editingStates, startRecording } from './record.ts';
import { saleOf, storeSale } from './sale.ts';
import { LevyOrderTaxStrategy } from './summary.ts';
import { createTaxOf, isEstimated, linesFor, shippingRate, type TaxOf, writeLines } from './tax.ts';

const text = (value: string) => [{ languageCode: LanguageCode.en, value }];

/** Asks Levy once for an order: the calls for its other lines find the answer in the cache. */
const taxLineStrategy = (taxOf: TaxOf): TaxLineCalculationStrategy => ({
  calculate: async ({ ctx, order, orderLine, applicableTaxRate }) =>
    linesFor(await taxOf(ctx, order), orderLine, applicableTaxRate, order.currencyCode),
});

/** What the shipping promotions of an order take from a charge. They come from the last calculation of the order. */
const discounted = (order: Order, price: number): number => {
  const discount = (order.shippingLines ?? []).reduce((sum, line) => sum + line.price - line.discountedPrice, 0);
  return Math.max(0, price - discount);
};

/**
 * A flat charge whose tax comes from Levy. Vendure calls it last, after the promotions, so that it also writes the tax of the
 * lines: Vendure does not calculate it again when a discount is distributed differently with the same sum.
 */
const shippingCalculator = (taxOf: TaxOf) =>
  new ShippingCalculator({
    code: 'levy-shipping',
    description: text('A flat charge with the tax that Levy calculates'),
    args: {
      rate: { type: 'int', defaultValue: 0, ui: { component: 'currency-form-input' }, label: text('Charge') },
      taxRate: { type: 'int', defaultValue: 0, label: text('Tax rate in percent where Levy has no tax') },
    },
    calculate: async (ctx, order, { rate, taxRate }) => {
      const net = discounted(order, rate);
      const tax = await taxOf(ctx, order, net);
      writeLines(tax, order);
      const effective = shippingRate(tax, net, order.currencyCode);
      return { price: rate, priceIncludesTax: false, taxRate: effective ?? taxRate };
    },
  });

const soldStates = ['PaymentAuthorized', 'PaymentSettled'];

/** Takes the last calculation before the payment, and stores what was sold. */
const orderProcess = (options: LevyOptions, taxOf: TaxOf): OrderProcess<string> => {
  let injector: Injector;
  return {
    init: async (given) => {
      injector = given;
      // Amounts are read as cents, and a wrong unit would record ten times the sale.
      const { precision = 2 } = given.get(ConfigService).entityOptions.moneyStrategy;
      if (precision !== 2) throw new Error(`Levy needs a MoneyStrategy with the precision 2, not ${precision}.`);
      await startRecording(given, options);
    },
    onTransitionStart: async (_from, to, { ctx, order }) => {
      if (to !== 'ArrangingPayment') return undefined;
      const service = injector.get(OrderService);
      // The second pass takes the shipping promotions of the first into account.
      for (let pass = 0; pass < 2; pass++) await service.applyPriceAdjustments(ctx, order, order.lines);
      if (options.fallback !== 'block') return undefined;
      const tax = await taxOf(ctx, order);
      if (tax.kind === 'ok' && !isEstimated(order)) return undefined;
      if (tax.kind === 'foreign') return undefined;
      if (tax.kind === 'ok') return noTaxMessage('unavailable');
      return noTaxMessage(tax.kind === 'failed' ? tax.reason : 'refused');
    },
    onTransitionEnd: async (from, to, { ctx, order }) => {
      const isPlaced = from === 'ArrangingPayment' && soldStates.includes(to);
      // An edited order returns to its state, such as PartiallyShipped.
      const isEdited = editingStates.includes(from) && !editingStates.includes(to) && to !== 'Cancelled';
      if (isPlaced || isEdited) await keepSale(ctx, order);
    },
  };

  async function keepSale(ctx: RequestContext, given: Order): Promise<void> {
    const order = (await injector.get(OrderService).findOne(ctx, given.id)) ?? given;
    const placedAt = order.orderPlacedAt ?? given.orderPlacedAt ?? new Date();
    order.orderPlacedAt = placedAt;
    const sale = saleOf(order, options.shippingTaxCode ?? null);
    if (sale) await storeSale(injector.get(TransactionalConnection), ctx, given, sale);
  }
};

/**
 * US sales tax from Levy at checkout, and each sale, refund and cancellation in its ledger. Add `LevyPlugin.init(options)` to the
 * plugins, and use the shipping calculator `levy-shipping`.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: Vendure takes plugins as classes.
export class LevyPlugin {
  static options: LevyOptions;

  static init(options: LevyOptions): typeof LevyPlugin {
    LevyPlugin.options = options;
    return LevyPlugin;
  }
}

type RefundProcess = NonNullable<RuntimeVendureConfig['paymentOptions']['refundProcess']>[number];

/** Stores when a refund was settled: it decides the filing period of its credit, and the order of the credits. */
const refundProcess: RefundProcess = {
  onTransitionStart: (_from, to, { refund }) => {
    const levySettledAt = new Date();
    if (to === 'Settled') refund.customFields = { ...refund.customFields, levySettledAt } as typeof refund.customFields;
  },
};

const configuration = (config: RuntimeVendureConfig): RuntimeVendureConfig => {
  const { options } = LevyPlugin;
  const taxOf = createTaxOf(options);
  config.taxOptions.taxLineCalculationStrategy = taxLineStrategy(taxOf);
  config.taxOptions.orderTaxCalculationStrategy = new LevyOrderTaxStrategy();
  config.shippingOptions.shippingCalculators = [
    ...(config.shippingOptions.shippingCalculators ?? []),
    shippingCalculator(taxOf),
  ];
  config.orderOptions.process = [...(config.orderOptions.process ?? []), orderProcess(options, taxOf)];
  config.paymentOptions.refundProcess = [...(config.paymentOptions.refundProcess ?? []), refundProcess];
  config.customFields.ProductVariant.push({
    name: 'levyTaxCode',
    type: 'string',
    nullable: true,
    label: text('Product tax code (GET /product-tax-codes of Levy)'),
  });
  config.customFields.Order.push(
    { name: 'levySale', type: 'text', nullable: true, internal: true },
    {
      name: 'levyEstimated',
      type: 'boolean',
      nullable: true,
      readonly: true,
      public: false,
      label: text('Taxed with the rate of the shop, because Levy had no tax'),
    },
  );
  config.customFields.Refund.push({ name: 'levySettledAt', type: 'datetime', nullable: true, internal: true });
  return config;
};

VendurePlugin({ imports: [PluginCommonModule], configuration, compatibility: '^3.6.0' })(LevyPlugin);
