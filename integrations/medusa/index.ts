export { cartOfCollection, readRefusal, retax, taxLineContext } from './checkout.ts';
export { orderTaxLineContext } from './order-tax.ts';
export { onOrderEvent, orderEvents } from './orders.ts';
export { LevyTaxProvider } from './provider.ts';
export { reconcileJob, reconcileOrders } from './reconcile.ts';
