import { describe, expect, it } from 'vitest';
import { statesOfZip } from '../../shared/catalog/location/zip-states.ts';
import { stateCode } from '../../shared/vocabulary/jurisdiction.ts';

/** `48933 MI, 02861 MA RI`: ZIP codes with their states. */
const zips = (text: string): [string, string[]][] =>
  text.split(',').map((row) => {
    const [zip = '', ...states] = row.trim().split(' ');
    return [zip, states];
  });

describe('statesOfZip', () => {
  it.each(
    zips(`48933 MI, 10001 NY, 00501 NY, 00926 PR, 00802 VI, 01001 MA, 05501 MA, 05401 VT, 20001 DC, 56901 DC,
    20101 VA, 73301 TX, 88510 TX, 96910 GU, 09012 AE, 34001 AA, 96201 AP, 99501 AK`),
  )('ZIP3: %s', (zip, states) => expect(statesOfZip(zip)).toEqual(states));

  it.each(
    zips(`06390 NY, 20588 MD, 20598 VA, 73949 OK TX, 73960 TX, 83414 WY, 96799 AS, 96939 PW, 96942 FM,
    96950 MP, 96970 MH`),
  )('an exception: %s', (zip, states) => expect(statesOfZip(zip)).toEqual(states));

  it.each(zips(`57717 MT SD WY, 82082 CO NE WY, 89061 CA NV, 42223 KY TN, 02861 MA RI, 99362 OR WA`))(
    'a border: %s',
    (zip, states) => expect(statesOfZip(zip)).toEqual(states),
  );

  it.each(['00000', '00401', '21301', '26901', '41901', '55201', '99999X', '4893', '489333', '', 'ABCDE'])(
    'not in use: %j',
    (zip) => expect(statesOfZip(zip)).toEqual([]),
  );

  it('has 931 ZIP3s', () => {
    const zips = Array.from({ length: 1000 }, (_, index) => `${String(index).padStart(3, '0')}98`);
    expect(zips.filter((zip) => statesOfZip(zip).length > 0)).toHaveLength(931);
  });
});

describe('stateCode', () => {
  it.each([
    ['MI', 'MI'],
    ['mi', 'MI'],
    [' Michigan ', 'MI'],
    ['NEW  YORK', 'NY'],
    ['district of columbia', 'DC'],
    ['D.C.', 'DC'],
    ['Puerto Rico', 'PR'],
    ['us virgin islands', 'VI'],
    ['U.S. Virgin Islands', 'VI'],
    ['guam', 'GU'],
    ['AE', 'AE'],
    ['armed forces pacific', 'AP'],
  ])('%j is %s', (text, code) => expect(stateCode(text)).toBe(code));

  it.each(['', 'XX', 'Ontario', 'M', 'constructor'])('%j is none', (text) => expect(stateCode(text)).toBeNull());
});
