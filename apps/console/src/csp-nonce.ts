/** The nonce with which the page's CSP allows its styles. Undefined on the development server, which has no CSP. */
export const cspNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce;

declare global {
  /** Where `get-nonce` looks: the package that locks scrolling behind a dialog writes its style with it. */
  var __webpack_nonce__: string | undefined;
}
globalThis.__webpack_nonce__ = cspNonce;
