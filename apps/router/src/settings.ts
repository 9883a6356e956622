export const routerSettings = Symbol('routerSettings');
