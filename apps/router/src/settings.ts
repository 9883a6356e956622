export const SETTINGS = Symbol('routerSettings');
