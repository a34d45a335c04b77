export { cartOfCollection, refusalOf, retax, taxLineContext } from './checkout.ts';
export { onOrderEvent, orderEvents, reconcileOrders, recordShopOrder } from './orders.ts';
export { LevyTaxProvider } from './tax.ts';
