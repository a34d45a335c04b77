export { cartOfCollection, refusalOf, retax, taxLineContext } from './checkout.ts';
export { onOrderEvent, orderEvents, recordShopOrder } from './orders.ts';
export { reconcileOrders } from './reconcile.ts';
export { LevyTaxProvider } from './tax.ts';
