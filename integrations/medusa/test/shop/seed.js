const { ContainerRegistrationKeys, Modules, ProductStatus } = require('@medusajs/framework/utils');
const flows = require('@medusajs/medusa/core-flows');
const { writeFileSync } = require('node:fs');

const run = async (workflow, container, input) => (await workflow(container).run({ input })).result;

exports.default = async ({ container }) => {
  const link = container.resolve(ContainerRegistrationKeys.LINK);
  const [salesChannel] = await run(flows.createSalesChannelsWorkflow, container, {
    salesChannelsData: [{ name: 'Shop' }],
  });
  const [region] = await run(flows.createRegionsWorkflow, container, {
    regions: [{ name: 'US', currency_code: 'usd', countries: ['us'], payment_providers: ['pp_system_default'] }],
  });
  await run(flows.createTaxRegionsWorkflow, container, [
    {
      country_code: 'us',
      provider_id: 'tp_levy_levy',
      default_tax_rate: { name: 'Fallback', code: 'fallback', rate: 7 },
    },
  ]);
  const [location] = await run(flows.createStockLocationsWorkflow, container, {
    locations: [{ name: 'Depot', address: { city: 'Detroit', country_code: 'US', address_1: '' } }],
  });
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_provider_id: 'manual_manual' },
  });
  const [profile, heavy] = await run(flows.createShippingProfilesWorkflow, container, {
    data: [
      { name: 'Default', type: 'default' },
      { name: 'Heavy', type: 'heavy' },
    ],
  });
  const fulfillment = container.resolve(Modules.FULFILLMENT);
  const set = await fulfillment.createFulfillmentSets({
    name: 'Delivery',
    type: 'shipping',
    service_zones: [{ name: 'US', geo_zones: [{ country_code: 'us', type: 'country' }] }],
  });
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_set_id: set.id },
  });
  // The store where goods are picked up.
  const address = {
    address_1: '1 Woodward Ave',
    city: 'Detroit',
    province: 'MI',
    postal_code: '48226',
    country_code: 'US',
  };
  const [store] = await run(flows.createStockLocationsWorkflow, container, { locations: [{ name: 'Store', address }] });
  const pickup = await fulfillment.createFulfillmentSets({
    name: 'Store pickup',
    type: 'pickup',
    service_zones: [{ name: 'Store', geo_zones: [{ country_code: 'us', type: 'country' }] }],
  });
  for (const ids of [{ fulfillment_provider_id: 'manual_manual' }, { fulfillment_set_id: pickup.id }])
    await link.create({ [Modules.STOCK_LOCATION]: { stock_location_id: store.id }, [Modules.FULFILLMENT]: ids });
  const option = (name, amount, { service_zones } = set, { id } = profile) => ({
    ...{ name, price_type: 'flat', provider_id: 'manual_manual', service_zone_id: service_zones[0].id },
    ...{ shipping_profile_id: id, type: { label: name, description: name, code: name } },
    prices: [{ currency_code: 'usd', amount }],
    rules: [
      { attribute: 'enabled_in_store', value: 'true', operator: 'eq' },
      { attribute: 'is_return', value: 'false', operator: 'eq' },
    ],
  });
  const options = await run(flows.createShippingOptionsWorkflow, container, [
    option('standard', 5),
    option('pickup', 0),
    option('store', 0, pickup),
    option('store-fee', 3, pickup),
    option('freight', 12, set, heavy),
  ]);
  for (const { id } of [location, store])
    await run(flows.linkSalesChannelsToStockLocationWorkflow, container, { id, add: [salesChannel.id] });
  const [key] = await run(flows.createApiKeysWorkflow, container, {
    api_keys: [{ title: 'Store', type: 'publishable', created_by: '' }],
  });
  await run(flows.linkSalesChannelsToApiKeyWorkflow, container, { id: key.id, add: [salesChannel.id] });
  const products = JSON.parse(process.env.TEST_PRODUCTS);
  const created = await run(flows.createProductsWorkflow, container, {
    products: products.map(({ name, price, code, isShipped = true, isHeavy, isGiftCard = false }) => ({
      ...{ title: name, status: ProductStatus.PUBLISHED, is_giftcard: isGiftCard },
      ...(isShipped && { shipping_profile_id: isHeavy ? heavy.id : profile.id }),
      ...(code && { metadata: { levy_tax_code: code } }),
      options: [{ title: 'Kind', values: ['one'] }],
      variants: [
        {
          ...{ title: name, sku: name, manage_inventory: false, options: { Kind: 'one' } },
          prices: [{ currency_code: 'usd', amount: price }],
        },
      ],
      sales_channels: [{ id: salesChannel.id }],
    })),
  });
  await run(flows.createPromotionsWorkflow, container, {
    promotionsData: [
      {
        ...{ code: 'SAVE7', type: 'standard', status: 'active', is_automatic: false },
        application_method: { type: 'fixed', target_type: 'order', value: 7, currency_code: 'usd' },
      },
      {
        ...{ code: 'PERCENT', type: 'standard', status: 'active', is_automatic: false },
        application_method: { type: 'percentage', target_type: 'items', allocation: 'across', value: 15 },
      },
    ],
  });
  const seeded = {
    key: key.token,
    region: region.id,
    options: Object.fromEntries(options.map(({ name, id }) => [name, id])),
    variants: Object.fromEntries(created.map(({ title, variants }) => [title, variants[0].id])),
  };
  writeFileSync(process.env.SEED_FILE, JSON.stringify(seeded));
};
