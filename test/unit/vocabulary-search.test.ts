import { describe, expect, it } from 'vitest';
import { catalog, selectItems } from '../../shared/vocabulary/catalog.ts';
import { resultsMax } from '../../shared/vocabulary/search.ts';
import { stemsOf } from '../../shared/vocabulary/words.ts';

const search = (text: string): string[] => selectItems({ q: text }).map(({ code }) => code);

/** What shops call their products, and the code that must come first. */
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
    const owners = Map.groupBy(texts, ({ text }) => stemsOf(text).join(' '));
    for (const { code, text } of texts) {
      const others = new Set(owners.get(stemsOf(text).join(' '))?.map((owner) => owner.code)).size;
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
      const texts = [...synonyms, name, ...examples].map((text) => stemsOf(text).join(' '));
      expect(synonyms.filter((_, at) => texts.lastIndexOf(texts[at] ?? '') !== at)).toEqual([]);
    }
    expect(all.filter((text) => text !== text.toLowerCase().trim() || text === '')).toEqual([]);
  });
});
