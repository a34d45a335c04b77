/** Whether a discount that a third party pays, such as a manufacturer's coupon, lowers the price that is taxed. */
import { settingOn } from '../catalog/effective.ts';
import type { Uncertainty } from './assessment.ts';
import type { Place } from './document.ts';
import { uncertaintiesAbout } from './uncertainties.ts';

const couponSetting = ({ release }: Place, day: string) => settingOn(release?.settings.coupons ?? [], day);

/** Whether such a discount lowers the taxable price at a place. */
export const couponReducesPrice = (place: Place, day: string): boolean =>
  couponSetting(place, day)?.policy === 'reduces_price';

/** The uncertainties about what the state does with such a discount. */
export const uncertaintiesAboutCoupons = (place: Place, day: string): readonly Uncertainty[] => {
  const setting = couponSetting(place, day);
  if (setting) return uncertaintiesAbout(setting, () => `${place.name}, discounts that third parties pay`);
  return [
    {
      code: 'content_unconfirmed',
      message: `${place.name}: whether a discount that a third party pays lowers the taxable price is not established. Here it does not.`,
    },
  ];
};
