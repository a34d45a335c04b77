import { describe, expect, it } from 'vitest';
import { catalog, selectItems } from '../../shared/vocabulary/catalog.ts';
import { listStems, resultsMax } from '../../shared/vocabulary/search.ts';

const search = (text: string): string[] => selectItems({ q: text }).map(({ code }) => code);

/** Product names of shops, and the code that must come first. */
const first: readonly (readonly [phrase: string, code: string])[] = [
  ["Men's Classic Fit T-Shirt", 'CLOTHING.APPAREL'],
  ['tshirts', 'CLOTHING.APPAREL'],
  ['unisex pullover hoodie', 'CLOTHING.APPAREL'],
  ['organic cotton baby onesie', 'CLOTHING.APPAREL'],
  ['skinny jeans', 'CLOTHING.APPAREL'],
  ['rain coat', 'CLOTHING.APPAREL'],
  ['trail running shoes', 'CLOTHING.FOOTWEAR'],
  ['leather ankle boots', 'CLOTHING.FOOTWEAR'],
  ['two-piece bikini', 'CLOTHING.SWIMWEAR'],
  ['leather wallet for men', 'CLOTHING.CLOTHING_ACCESSORIES'],
  ['polarized sunglasses', 'CLOTHING.CLOTHING_ACCESSORIES'],
  ['N95 mask', 'CLOTHING.PROTECTIVE_EQUIPMENT'],
  ['soccer shin guards', 'CLOTHING.SPORT_EQUIPMENT'],
  ['witch Halloween costume', 'CLOTHING.COSTUMES'],
  ['merino wool yarn', 'CLOTHING.SEWING_MATERIALS'],
  ['sterling silver necklace', 'JEWELRY.FINE_JEWELRY'],
  ['extra virgin olive oil', 'FOOD.GROCERY'],
  ['potato chips', 'FOOD.GROCERY'],
  ['dark chocolate bar', 'FOOD.CANDY'],
  ['sour gummies', 'FOOD.CANDY'],
  ['vitamin D3 capsules', 'FOOD.DIETARY_SUPPLEMENTS'],
  ['vanilla whey protein powder', 'FOOD.DIETARY_SUPPLEMENTS'],
  ['pepperoni pizza', 'FOOD.PREPARED_FOOD'],
  ['chocolate chip cookies', 'FOOD.BAKERY_ITEMS'],
  ['holiday gift basket', 'FOOD.FOOD_BUNDLE'],
  ['baby formula', 'FOOD.INFANT_FORMULA'],
  ['diet soda', 'BEVERAGES.SOFT_DRINKS'],
  ['whole bean coffee', 'BEVERAGES.COFFEE_TEA'],
  ['earl grey tea bags', 'BEVERAGES.COFFEE_TEA'],
  ['sparkling mineral water', 'BEVERAGES.BOTTLED_WATER'],
  ['cabernet red wine', 'BEVERAGES.WINE'],
  ['small batch bourbon', 'BEVERAGES.SPIRITS'],
  ['disposable vape', 'TOBACCO.VAPOR_PRODUCTS'],
  ['ibuprofen 200 mg tablets', 'HEALTH.DRUGS'],
  ['adjustable rollator walker', 'HEALTH.MOBILITY_EQUIPMENT'],
  ['CPAP machine', 'HEALTH.DURABLE_MEDICAL_EQUIPMENT'],
  ['daily contact lenses, 30 pack', 'HEALTH.CORRECTIVE_EYEWEAR'],
  ['blue light glasses', 'HEALTH.CORRECTIVE_EYEWEAR'],
  ['adhesive bandages', 'HEALTH.MEDICAL_SUPPLIES'],
  ['vitamin C face serum', 'HEALTH.GROOMING_HYGIENE'],
  ['matte lipstick', 'HEALTH.GROOMING_HYGIENE'],
  ['organic tampons', 'HEALTH.FEMININE_HYGIENE'],
  ['newborn diapers', 'HEALTH.DIAPERS'],
  ['reusable nappy', 'HEALTH.DIAPERS'],
  ['BOOKS', 'PRINT.BOOKS'],
  ['SAAS', 'SOFTWARE.SAAS'],
  ['antivirus license key', 'SOFTWARE.PREWRITTEN_SOFTWARE'],
  ['SaaS subscription', 'SOFTWARE.SAAS'],
  ['cloud-based CRM', 'SOFTWARE.SAAS'],
  ['API hosting', 'SOFTWARE.PAAS'],
  ['web hosting plan', 'SOFTWARE.IAAS'],
  ['MP3 album download', 'DIGITAL.DIGITAL_AUDIO'],
  ['e-book', 'DIGITAL.EBOOKS'],
  ['romance ebooks', 'DIGITAL.EBOOKS'],
  ['streaming movies', 'DIGITAL.STREAMING_VIDEO'],
  ['stock photos', 'DIGITAL.DIGITAL_IMAGES'],
  ['online photography course', 'DIGITAL.ONLINE_COURSES'],
  ['signed hardcover', 'PRINT.BOOKS'],
  ['gaming laptop', 'ELECTRONICS.COMPUTERS'],
  ['ink cartridges', 'ELECTRONICS.COMPUTER_SUPPLIES'],
  ['kids backpack', 'SCHOOL.SCHOOL_SUPPLIES'],
  ['mid-century coffee table', 'HOME.FURNITURE'],
  ['drip coffee maker', 'HOME.APPLIANCES'],
  ['grain-free dog food', 'PETS.PET_FOOD'],
  ['all-season tires', 'MOTOR_VEHICLES.AUTO_PARTS'],
  ['tomato seeds', 'AGRICULTURE.SEED_FERTILIZER_FEED'],
  ['monthly gym membership', 'SERVICES.FITNESS'],
  ['logo consulting', 'SERVICES.PROFESSIONAL'],
  ['wedding photographer', 'SERVICES.PHOTOGRAPHY'],
  ['VIP concert tickets', 'ADMISSIONS.EVENT_TICKETS'],
  ['2-year protection plan', 'WARRANTIES.EXTENDED_WARRANTY'],
  ['express shipping', 'SHIPPING.DELIVERY'],
  ['digital gift card', 'FEES.GIFT_CARDS'],
  ['gift wrapping', 'FEES.GIFT_WRAP'],
  ['credit card fee', 'FEES.CARD_SURCHARGE'],
  ['donation', 'FEES.DONATIONS'],
  ['wooden toys', 'GENERAL'],
  ['wireless headphones', 'GENERAL'],
  ['phone case', 'GENERAL'],
  ['ceramic coffee mug', 'GENERAL'],
  ['scented soy candle', 'GENERAL'],
  ['beef jerky', 'FOOD.GROCERY'],
  ['protein bar', 'FOOD.GROCERY'],
  ['pinot noir', 'BEVERAGES.WINE'],
  ['probiotic gummies', 'FOOD.DIETARY_SUPPLEMENTS'],
  ['bluetooth speaker', 'GENERAL'],
  ['cast iron skillet', 'GENERAL'],
  ['wall art print', 'GENERAL'],
  ['robot vacuum', 'HOME.APPLIANCES'],
  ['pdf sewing pattern', 'DIGITAL.DIGITAL_IMAGES'],
  ['email marketing software', 'SOFTWARE.SAAS'],
  ['project management app subscription', 'SOFTWARE.SAAS'],
  ['hearing aid batteries size 312', 'HEALTH.HEARING_AIDS'],
  ['fabric by the yard', 'CLOTHING.SEWING_MATERIALS'],
  ['newsletter subscription', 'DIGITAL.DIGITAL_SUBSCRIPTIONS'],
  ['wine glass', 'GENERAL'],
  ['wine glasses', 'GENERAL'],
  ['website design', 'SERVICES.PROFESSIONAL'],
  ['birth control', 'HEALTH.DRUGS'],
  ['rotisserie chicken', 'FOOD.PREPARED_FOOD'],
  ['wallpaper', 'HOME.BUILDING_MATERIALS'],
  ['solar panel', 'HOME.BUILDING_MATERIALS'],
  ['ammo', 'GENERAL'],
  ['condoms', 'GENERAL'],
  ['vacation rental', 'LODGING.HOTEL_ROOMS'],
  ['acetaminophen', 'HEALTH.DRUGS'],
  ['streaming subscription', 'DIGITAL.STREAMING_VIDEO'],
  ['virtual currency', 'DIGITAL.DIGITAL_GAMES'],
  ['website hosting', 'SOFTWARE.IAAS'],
  ['carrot seeds', 'AGRICULTURE.SEED_FERTILIZER_FEED'],
  ['black hoodie, size L', 'CLOTHING.APPAREL'],
  ['hoodie black XL', 'CLOTHING.APPAREL'],
  ['lawn mowing service', 'SERVICES.LANDSCAPING'],
  ['box of chocolates', 'FOOD.CANDY'],
  ['stemless champagne flutes', 'GENERAL'],
  ['stainless steel water bottle', 'GENERAL'],
  ['beer mug', 'GENERAL'],
  ['shoe rack', 'HOME.FURNITURE'],
  ['leather dog collar', 'GENERAL'],
  ['cat scratching post', 'GENERAL'],
  ['milk frother', 'HOME.APPLIANCES'],
  ['rice cooker', 'HOME.APPLIANCES'],
  ['cake stand', 'GENERAL'],
  ['cookie cutter', 'GENERAL'],
  ['linen tea towel', 'GENERAL'],
  ['burr coffee grinder', 'HOME.APPLIANCES'],
  ['video baby monitor', 'GENERAL'],
  ['laptop sleeve', 'GENERAL'],
  ['mechanical keyboard', 'ELECTRONICS.COMPUTER_SUPPLIES'],
  ['clip-on book light', 'GENERAL'],
  ['car phone mount', 'GENERAL'],
  ['front brake rotors', 'MOTOR_VEHICLES.AUTO_PARTS'],
  ['motorcycle helmet', 'CLOTHING.PROTECTIVE_EQUIPMENT'],
  ['plaid flannel shirt', 'CLOTHING.APPAREL'],
  ['cashmere scarf', 'CLOTHING.APPAREL'],
  ["men's swim briefs", 'CLOTHING.SWIMWEAR'],
  ['ballet flats', 'CLOTHING.FOOTWEAR'],
  ['leather crossbody bag', 'CLOTHING.CLOTHING_ACCESSORIES'],
  ['diamond stud earrings', 'JEWELRY.FINE_JEWELRY'],
  ['jewelry box', 'GENERAL'],
  ['silicone watch band', 'CLOTHING.CLOTHING_ACCESSORIES'],
  ['frozen blueberries', 'FOOD.GROCERY'],
  ['pure maple syrup', 'FOOD.GROCERY'],
  ['ramen noodles', 'FOOD.GROCERY'],
  ['organic chicken breast', 'FOOD.GROCERY'],
  ['milk chocolate truffles', 'FOOD.CANDY'],
  ['vanilla birthday cupcakes', 'FOOD.BAKERY_ITEMS'],
  ['iced caramel macchiato', 'FOOD.PREPARED_FOOD'],
  ['concord grape juice', 'BEVERAGES.JUICE'],
  ['hazy IPA six pack', 'BEVERAGES.BEER'],
  ['bottle of champagne', 'BEVERAGES.WINE'],
  ['single malt scotch whisky', 'BEVERAGES.SPIRITS'],
  ['disposable vape cartridges', 'TOBACCO.VAPOR_PRODUCTS'],
  ['allergy nasal spray', 'HEALTH.DRUGS'],
  ["children's cough medicine", 'HEALTH.DRUGS'],
  ['dog heartworm medication', 'HEALTH.DRUGS'],
  ['knee scooter', 'HEALTH.MOBILITY_EQUIPMENT'],
  ['wrist splint', 'HEALTH.PROSTHETICS'],
  ['pulse oximeter', 'HEALTH.DURABLE_MEDICAL_EQUIPMENT'],
  ['bifocal lenses', 'HEALTH.CORRECTIVE_EYEWEAR'],
  ['alcohol prep pads', 'HEALTH.MEDICAL_SUPPLIES'],
  ['electric toothbrush', 'HEALTH.GROOMING_HYGIENE'],
  ['retinol night cream', 'HEALTH.GROOMING_HYGIENE'],
  ['overnight maxi pads', 'HEALTH.FEMININE_HYGIENE'],
  ['mobile app development', 'SOFTWARE.CUSTOM_SOFTWARE'],
  ['online invoicing software', 'SOFTWARE.SAAS'],
  ['virtual private server', 'SOFTWARE.IAAS'],
  ['wedding invitation template', 'DIGITAL.DIGITAL_IMAGES'],
  ['cooking video course', 'DIGITAL.ONLINE_COURSES'],
  ["children's picture book", 'PRINT.BOOKS'],
  ['study bible', 'PRINT.RELIGIOUS_BOOKS'],
  ['spiral notebook', 'SCHOOL.SCHOOL_SUPPLIES'],
  ['oil paint set', 'SCHOOL.SCHOOL_ART_SUPPLIES'],
  ['king size mattress', 'HOME.FURNITURE'],
  ['swivel bar stools', 'HOME.FURNITURE'],
  ['vinyl plank flooring', 'HOME.BUILDING_MATERIALS'],
  ['kitchen faucet', 'HOME.PLUMBING_FIXTURES'],
  ['smoke alarm', 'HOME.DISASTER_PREPAREDNESS'],
  ['rifle scope', 'GENERAL'],
  ['dry cat kibble', 'PETS.PET_FOOD'],
  ['grass seed', 'AGRICULTURE.SEED_FERTILIZER_FEED'],
  ['unlimited talk and text plan', 'TELECOM.TELECOMMUNICATIONS'],
  ['furnace installation', 'SERVICES.INSTALLATION'],
  ['laptop screen repair', 'SERVICES.REPAIR'],
  ['tax preparation', 'SERVICES.PROFESSIONAL'],
  ['social media ads', 'SERVICES.ADVERTISING'],
  ['deep tissue massage', 'SERVICES.PERSONAL_CARE'],
  ['newborn photo session', 'SERVICES.PHOTOGRAPHY'],
  ['airport parking', 'SERVICES.PARKING'],
  ['zoo admission tickets', 'ADMISSIONS.EVENT_TICKETS'],
  ['beach house rental', 'LODGING.HOTEL_ROOMS'],
  ['moving van rental', 'RENTALS.VEHICLE_RENTAL'],
  ['package insurance', 'WARRANTIES.PRODUCT_INSURANCE'],
  ['white glove delivery', 'SHIPPING.DELIVERY'],
];

/** Phrases that fit several codes, and the code that must be among the first three. */
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
  it.each(first)('finds %s first', (phrase, code) => {
    expect(search(phrase)[0]).toBe(code);
  });

  it.each(amongThree)('finds %s among the first three: %s', (phrase, code) => {
    expect(search(phrase).slice(0, 3)).toContain(code);
  });

  it.each([
    // Each row is in the crosswalk.
    ['txcd_30011000', ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']],
    ['TXCD_30011000', ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']],
    ['pc040100', ['CLOTHING.APPAREL']],
    ['81162000A9000', ['SOFTWARE.SAAS']],
    [' food.candy ', ['FOOD.CANDY']],
    ['txcd_20030000', catalog().flatMap(({ code, family }) => (family === 'SERVICES' ? [code] : []))],
  ])('finds what the code %s means and nothing else', (text, codes) => {
    expect(search(text)).toEqual(codes);
  });

  it('puts every name, example and synonym of a code before codes that only have words of it', () => {
    const texts = catalog().flatMap(({ code, name, examples, synonyms }) =>
      [name, ...examples, ...synonyms].map((text) => ({ code, text })),
    );
    const owners = Map.groupBy(texts, ({ text }) => listStems(text).join(' '));
    for (const { code, text } of texts) {
      const others = new Set(owners.get(listStems(text).join(' '))?.map((owner) => owner.code)).size;
      const place = search(text).indexOf(code);
      expect(place, `${text} of ${code}`).toBeGreaterThanOrEqual(0);
      expect(place, `${text} of ${code}`).toBeLessThan(others + 1);
    }
  });

  it.each([
    ['headph', 'GENERAL'],
    ['vitmains', 'FOOD.DIETARY_SUPPLEMENTS'],
    ['chocolte bars', 'FOOD.CANDY'],
    ['head phones', 'GENERAL'],
    ['CAFÉ LATTE', 'FOOD.PREPARED_FOOD'],
    ['latte in a cup', 'FOOD.PREPARED_FOOD'],
  ])('reads %s in spite of how it is written', (phrase, code) => {
    expect(search(phrase)[0]).toBe(code);
  });

  it.each(['xyzzy', 'qqqq wwww', '12345', '?!', 'the', 'blorp'])('finds nothing for %s', (phrase) => {
    expect(search(phrase)).toEqual([]);
  });

  it.each(['cbd oil', 'pest control', 'cookie zzzz', 'smoke zzzz', 'towing'])(
    'finds nothing for %s, of which no code has the product',
    (phrase) => {
      expect(search(phrase)).toEqual([]);
    },
  );

  it('finds no code that only has a word before the product', () => {
    expect(search('wine glass')).not.toContain('BEVERAGES.WINE');
    expect(search('smoke alarm')).not.toContain('TOBACCO.CIGARETTES');
    expect(search('milk frother')).not.toContain('FOOD.GROCERY');
  });

  it('returns at most 20 codes, each once, and only those of the other filters', () => {
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

describe('the synonyms', () => {
  it('are at least five for each code, in lower case, each of one code only, and none repeats a name or an example', () => {
    const all = catalog().flatMap(({ synonyms }) => synonyms);
    expect(catalog().filter(({ synonyms }) => synonyms.length < 5)).toEqual([]);
    expect(all.filter((text, at) => all.indexOf(text) !== at)).toEqual([]);
    for (const { name, examples, synonyms } of catalog()) {
      const texts = [...synonyms, name, ...examples].map((text) => listStems(text).join(' '));
      expect(synonyms.filter((_, at) => texts.lastIndexOf(texts[at] ?? '') !== at)).toEqual([]);
    }
    expect(all.filter((text) => text !== text.toLowerCase().trim() || text === '')).toEqual([]);
  });
});
