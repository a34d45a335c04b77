export { cartOfCollection, refusalOf, retax, taxLineContext } from './checkout.ts';
export { orderTaxLineContext } from './order-tax.ts';
export { onOrderEvent, orderEvents, recordShopOrder } from './orders.ts';
export { reconcileOrders } from './reconcile.ts';
export { LevyTaxProvider } from './tax.ts';
