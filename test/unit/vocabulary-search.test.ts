import { describe, expect, it } from 'vitest';
import { catalog, selectItems } from '../../shared/vocabulary/catalog.ts';
import { listStems, resultsMax } from '../../shared/vocabulary/search.ts';

const search = (text: string): string[] => selectItems({ q: text }).map(({ code }) => code);

/** Product names of shops, by the code that must come first. */
const first: Readonly<Record<string, string>> = {
  'ADMISSIONS.EVENT_TICKETS': 'VIP concert tickets; zoo admission tickets',
  'AGRICULTURE.SEED_FERTILIZER_FEED': 'tomato seeds; carrot seeds; grass seed',
  'BEVERAGES.BEER': 'hazy IPA six pack',
  'BEVERAGES.BOTTLED_WATER': 'sparkling mineral water',
  'BEVERAGES.COFFEE_TEA': 'whole bean coffee; earl grey tea bags',
  'BEVERAGES.JUICE': 'concord grape juice',
  'BEVERAGES.SOFT_DRINKS': 'diet soda',
  'BEVERAGES.SPIRITS': 'small batch bourbon; single malt scotch whisky',
  'BEVERAGES.WINE': 'cabernet red wine; pinot noir; bottle of champagne',
  'CLOTHING.APPAREL': `
    Men's Classic Fit T-Shirt; tshirts; unisex pullover hoodie; organic cotton baby onesie; skinny jeans; rain coat;
    black hoodie, size L; hoodie black XL; plaid flannel shirt; cashmere scarf`,
  'CLOTHING.CLOTHING_ACCESSORIES': `
    leather wallet for men; polarized sunglasses; leather crossbody bag; silicone watch band`,
  'CLOTHING.COSTUMES': 'witch Halloween costume',
  'CLOTHING.FOOTWEAR': 'trail running shoes; leather ankle boots; ballet flats',
  'CLOTHING.PROTECTIVE_EQUIPMENT': 'N95 mask; motorcycle helmet',
  'CLOTHING.SEWING_MATERIALS': 'merino wool yarn; fabric by the yard',
  'CLOTHING.SPORT_EQUIPMENT': 'soccer shin guards',
  'CLOTHING.SWIMWEAR': "two-piece bikini; men's swim briefs",
  'DIGITAL.DIGITAL_AUDIO': 'MP3 album download',
  'DIGITAL.DIGITAL_GAMES': 'virtual currency',
  'DIGITAL.DIGITAL_IMAGES': 'stock photos; pdf sewing pattern; wedding invitation template',
  'DIGITAL.DIGITAL_SUBSCRIPTIONS': 'newsletter subscription',
  'DIGITAL.EBOOKS': 'e-book; romance ebooks',
  'DIGITAL.ONLINE_COURSES': 'online photography course; cooking video course',
  'DIGITAL.STREAMING_VIDEO': 'streaming movies; streaming subscription',
  'ELECTRONICS.COMPUTERS': 'gaming laptop',
  'ELECTRONICS.COMPUTER_SUPPLIES': 'ink cartridges; mechanical keyboard',
  'FEES.CARD_SURCHARGE': 'credit card fee',
  'FEES.DONATIONS': 'donation',
  'FEES.GIFT_CARDS': 'digital gift card',
  'FEES.GIFT_WRAP': 'gift wrapping',
  'FOOD.BAKERY_ITEMS': 'chocolate chip cookies; vanilla birthday cupcakes',
  'FOOD.CANDY': 'dark chocolate bar; sour gummies; box of chocolates; milk chocolate truffles',
  'FOOD.DIETARY_SUPPLEMENTS': 'vitamin D3 capsules; vanilla whey protein powder; probiotic gummies',
  'FOOD.FOOD_BUNDLE': 'holiday gift basket',
  'FOOD.GROCERY': `
    extra virgin olive oil; potato chips; beef jerky; protein bar; frozen blueberries; pure maple syrup;
    ramen noodles; organic chicken breast`,
  'FOOD.INFANT_FORMULA': 'baby formula',
  'FOOD.PREPARED_FOOD': 'pepperoni pizza; rotisserie chicken; iced caramel macchiato',
  GENERAL: `
    wooden toys; wireless headphones; phone case; ceramic coffee mug; scented soy candle; bluetooth speaker;
    cast iron skillet; wall art print; wine glass; wine glasses; ammo; condoms; stemless champagne flutes;
    stainless steel water bottle; beer mug; leather dog collar; cat scratching post; cake stand; cookie cutter;
    linen tea towel; video baby monitor; laptop sleeve; clip-on book light; car phone mount; jewelry box;
    rifle scope`,
  'HEALTH.CORRECTIVE_EYEWEAR': 'daily contact lenses, 30 pack; blue light glasses; bifocal lenses',
  'HEALTH.DIAPERS': 'newborn diapers; reusable nappy',
  'HEALTH.DRUGS': `
    ibuprofen 200 mg tablets; birth control; acetaminophen; allergy nasal spray; children's cough medicine;
    dog heartworm medication`,
  'HEALTH.DURABLE_MEDICAL_EQUIPMENT': 'CPAP machine; pulse oximeter',
  'HEALTH.FEMININE_HYGIENE': 'organic tampons; overnight maxi pads',
  'HEALTH.GROOMING_HYGIENE': 'vitamin C face serum; matte lipstick; electric toothbrush; retinol night cream',
  'HEALTH.HEARING_AIDS': 'hearing aid batteries size 312',
  'HEALTH.MEDICAL_SUPPLIES': 'adhesive bandages; alcohol prep pads',
  'HEALTH.MOBILITY_EQUIPMENT': 'adjustable rollator walker; knee scooter',
  'HEALTH.PROSTHETICS': 'wrist splint',
  'HOME.APPLIANCES': 'drip coffee maker; robot vacuum; milk frother; rice cooker; burr coffee grinder',
  'HOME.BUILDING_MATERIALS': 'wallpaper; solar panel; vinyl plank flooring',
  'HOME.DISASTER_PREPAREDNESS': 'smoke alarm',
  'HOME.FURNITURE': 'mid-century coffee table; shoe rack; king size mattress; swivel bar stools',
  'HOME.PLUMBING_FIXTURES': 'kitchen faucet',
  'JEWELRY.FINE_JEWELRY': 'sterling silver necklace; diamond stud earrings',
  'LODGING.HOTEL_ROOMS': 'vacation rental; beach house rental',
  'MOTOR_VEHICLES.AUTO_PARTS': 'all-season tires; front brake rotors',
  'PETS.PET_FOOD': 'grain-free dog food; dry cat kibble',
  'PRINT.BOOKS': "BOOKS; signed hardcover; children's picture book",
  'PRINT.RELIGIOUS_BOOKS': 'study bible',
  'RENTALS.VEHICLE_RENTAL': 'moving van rental',
  'SCHOOL.SCHOOL_ART_SUPPLIES': 'oil paint set',
  'SCHOOL.SCHOOL_SUPPLIES': 'kids backpack; spiral notebook',
  'SERVICES.ADVERTISING': 'social media ads',
  'SERVICES.FITNESS': 'monthly gym membership',
  'SERVICES.INSTALLATION': 'furnace installation',
  'SERVICES.LANDSCAPING': 'lawn mowing service',
  'SERVICES.PARKING': 'airport parking',
  'SERVICES.PERSONAL_CARE': 'deep tissue massage',
  'SERVICES.PHOTOGRAPHY': 'wedding photographer; newborn photo session',
  'SERVICES.PROFESSIONAL': 'logo consulting; website design; tax preparation',
  'SERVICES.REPAIR': 'laptop screen repair',
  'SHIPPING.DELIVERY': 'express shipping; white glove delivery',
  'SOFTWARE.CUSTOM_SOFTWARE': 'mobile app development',
  'SOFTWARE.IAAS': 'web hosting plan; website hosting; virtual private server',
  'SOFTWARE.PAAS': 'API hosting',
  'SOFTWARE.PREWRITTEN_SOFTWARE': 'antivirus license key',
  'SOFTWARE.SAAS': `
    SAAS; SaaS subscription; cloud-based CRM; email marketing software; project management app subscription;
    online invoicing software`,
  'TELECOM.TELECOMMUNICATIONS': 'unlimited talk and text plan',
  'TOBACCO.VAPOR_PRODUCTS': 'disposable vape; disposable vape cartridges',
  'WARRANTIES.EXTENDED_WARRANTY': '2-year protection plan',
  'WARRANTIES.PRODUCT_INSURANCE': 'package insurance',
};

/** Phrases that match several codes, and the code that must be among the first three. */
const amongThree: readonly (readonly [phrase: string, code: string])[] = [
  ['watch', 'CLOTHING.CLOTHING_ACCESSORIES'],
  ['formula', 'FOOD.INFANT_FORMULA'],
  ['game', 'DIGITAL.DIGITAL_GAMES'],
  ['textbook', 'PRINT.TEXTBOOKS'],
  ['textbook', 'DIGITAL.DIGITAL_TEXTBOOKS'],
  ['streaming', 'DIGITAL.STREAMING_AUDIO'],
  ['streaming', 'DIGITAL.STREAMING_VIDEO'],
  ['oxygen', 'HEALTH.MEDICAL_OXYGEN'],
  ['handling', 'SHIPPING.HANDLING'],
  ['insurance', 'WARRANTIES.PRODUCT_INSURANCE'],
  ['software', 'SOFTWARE.PREWRITTEN_SOFTWARE'],
  ['rental', 'RENTALS.EQUIPMENT_RENTAL'],
  ['gratuity', 'FEES.ORDER_FEE'],
  ['gratuity', 'NONTAXABLE'],
];

describe('the search for product tax codes', () => {
  it.each(Object.entries(first))('finds %s first', (code, phrases) => {
    for (const phrase of phrases.trim().split(/;\s+/)) expect([phrase, search(phrase)[0]]).toEqual([phrase, code]);
  });

  it.each(amongThree)('finds %s among the first three: %s', (phrase, code) => {
    expect(search(phrase).slice(0, 3)).toContain(code);
  });

  it.each([
    // Each row is in the crosswalk.
    ['TXCD_30011000', ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']],
    ['pc040100', ['CLOTHING.APPAREL']],
    [' food.candy ', ['FOOD.CANDY']],
    ['txcd_20030000', catalog().flatMap(({ code, family }) => (family === 'SERVICES' ? [code] : []))],
  ])('finds only the products of the code %s', (text, codes) => expect(search(text)).toEqual(codes));

  it('ranks the names, examples and synonyms of a code above other codes that contain some of their words', () => {
    const texts = catalog().flatMap(({ code, name, examples, synonyms }) =>
      [name, ...examples, ...synonyms].map((text) => ({ code, text })),
    );
    const owners = Map.groupBy(texts, ({ text }) => listStems(text).join(' '));
    for (const { code, text } of texts) {
      const others = new Set(owners.get(listStems(text).join(' '))?.map((owner) => owner.code)).size;
      const place = search(text).indexOf(code);
      expect([text, code, place >= 0 && place <= others]).toEqual([text, code, true]);
    }
  });

  it.each([
    ['headph', 'GENERAL'],
    ['vitmains', 'FOOD.DIETARY_SUPPLEMENTS'],
    ['chocolte bars', 'FOOD.CANDY'],
    ['head phones', 'GENERAL'],
    ['CAFÉ LATTE', 'FOOD.PREPARED_FOOD'],
    ['latte in a cup', 'FOOD.PREPARED_FOOD'],
  ])('normalizes %s', (phrase, code) => expect(search(phrase)[0]).toBe(code));

  it.each(
    'xyzzy; qqqq wwww; 12345; ?!; the; blorp; cbd oil; pest control; cookie zzzz; smoke zzzz; towing'.split('; '),
  )('finds nothing for %s, which is in no code', (phrase) => expect(search(phrase)).toEqual([]));

  it.each([
    ['wine glass', 'BEVERAGES.WINE'],
    ['smoke alarm', 'TOBACCO.CIGARETTES'],
    ['milk frother', 'FOOD.GROCERY'],
  ])('does not match a code by a modifier only: %s is not %s', (phrase, code) =>
    expect(search(phrase)).not.toContain(code),
  );

  it('returns at most 20 codes, each once, that match the other filters', () => {
    for (const phrase of ['service', 'digital', 'food', 'equipment supplies for home school software']) {
      const codes = search(phrase);
      expect(codes.length).toBeLessThanOrEqual(resultsMax);
      expect(new Set(codes).size).toBe(codes.length);
    }
    const found = selectItems({ q: 'book', family: 'DIGITAL' }).map(({ family }) => family);
    expect(found.length).toBeGreaterThan(1);
    expect(new Set(found)).toEqual(new Set(['DIGITAL']));
  });
});

it('has five distinct lower-case synonyms per code, and none repeats a name or an example', () => {
  const all = catalog().flatMap(({ synonyms }) => synonyms);
  expect(catalog().filter(({ synonyms }) => synonyms.length < 5)).toEqual([]);
  expect(all.filter((text, at) => all.indexOf(text) !== at)).toEqual([]);
  for (const { name, examples, synonyms } of catalog()) {
    const texts = [...synonyms, name, ...examples].map((text) => listStems(text).join(' '));
    expect(synonyms.filter((_, at) => texts.lastIndexOf(texts[at] ?? '') !== at)).toEqual([]);
  }
  expect(all.filter((text) => text !== text.toLowerCase().trim() || text === '')).toEqual([]);
});
