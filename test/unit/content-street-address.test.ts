import { describe, expect, it } from 'vitest';
import { readStreetAddress } from '../../shared/catalog/streets/street-address.ts';

/** `prefix+number | name | affixes | unit`, or `null`. */
const read = (line1: string): string | null => {
  const found = readStreetAddress(line1);
  if (!found) return null;
  const { house, street, unit } = found;
  const text = typeof unit === 'object' && unit ? `${unit.designator ?? '#'} ${unit.id ?? ''}`.trim() : (unit ?? '');
  return [`${house.prefix}${house.number}`, street.name, street.affixes, text].join(' | ');
};

describe('a street address', () => {
  it.each(['150 Main St', '150 MAIN STREET', '150 main st.', '  150  Main  Str ', '0150 Main Strt,'])(
    'has one reading for each spelling of its suffix: %s',
    (line1) => expect(read(line1)).toBe('150 | MAIN | ,ST, | '),
  );

  it.each([
    ['150 N Main St', 'N,ST,'],
    ['150 North Main Street', 'N,ST,'],
    ['150 N. Main St. S.W.', 'N,ST,SW'],
    ['150 Main Street Southwest', ',ST,SW'],
    ['150 NE Main Ave', 'NE,AVE,'],
  ])('has directions: %s', (line1, affixes) => expect(read(line1)).toBe(`150 | MAIN | ${affixes} | `));

  it.each([
    ['150 N St', '150 | N | ,ST, | '],
    ['150 North Ave', '150 | NORTH | ,AVE, | '],
    ['150 Park Ave', '150 | PARK | ,AVE, | '],
    ['150 Park', '150 | PARK | ,, | '],
    ['150 Broadway', '150 | BROADWAY | ,, | '],
    ['150 Avenue E', '150 | AVENUE | ,,E | '],
    ['12 34th St', '12 | 34TH | ,ST, | '],
    ['150 Court St', '150 | COURT | ,ST, | '],
    ['150 St Marys Ct', '150 | ST MARYS | ,CT, | '],
    ['150 Saint-Jean Rd', '150 | SAINT-JEAN | ,RD, | '],
    ["150 O'Neil Ln", '150 | ONEIL | ,LN, | '],
    ['100 Lake Side', '100 | LAKE SIDE | ,, | '],
    ['100 Front St', '100 | FRONT | ,ST, | '],
    ['100 Key Hwy', '100 | KEY | ,HWY, | '],
    ['100 County Road 12', '100 | COUNTY ROAD 12 | ,, | '],
  ])('keeps the name of the street whole: %s', (line1, expected) => expect(read(line1)).toBe(expected));

  it.each([
    ['150 Main St Apt 4', 'APT 4'],
    ['150 Main St, Apartment 4', 'APT 4'],
    ['150 Main St #4', '# 4'],
    ['150 Main St # 4', '# 4'],
    ['150 Main St Apt #4', 'APT 4'],
    ['150 Main St Unit B', 'UNIT B'],
    ['150 Main St Ste 200-B', 'STE 200B'],
    ['150 Main St Rear', 'REAR'],
    ['150A Main St', 'unclear'],
    ['150-A Main St', 'unclear'],
    ['150-1/2 Main St', 'unclear'],
    ['150 1/2 Main St', 'unclear'],
    ['150 Main St Bldg 2 Apt 4', 'unclear'],
    ['150A Main St Apt 4', 'unclear'],
  ])('has a unit: %s', (line1, unit) => expect(read(line1)).toBe(`150 | MAIN | ,ST, | ${unit}`));

  it.each([
    ['N56W16839 Silver Spring Dr', 'N56W16839 | SILVER SPRING | ,DR, | '],
    ['N56 W16839 Silver Spring Dr', 'N56W16839 | SILVER SPRING | ,DR, | '],
    ['W5600 County Rd', 'W5600 | COUNTY | ,RD, | '],
  ])('has a number in a grid: %s', (line1, expected) => expect(read(line1)).toBe(expected));

  it.each([
    'PO Box 12',
    'P.O. Box 12',
    'POB 12',
    'RR 2 Box 18',
    'HC 1 Box 4',
    'General Delivery',
    'Main St',
    'Main St 150',
    '150',
    '150 #4',
    '150E Main St',
    '150-152 Main St',
    '1ST St',
    '150 Main & Oak',
    '150 Main St / 4',
    '',
    ' , ',
    '１５０ Main St',
  ])('is not read where that is uncertain: %s', (line1) => expect(read(line1)).toBeNull());
});
