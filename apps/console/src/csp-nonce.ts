/** By which the policy of this page lets its styles in; undefined on the development server, which has no policy. */
export const cspNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce;

declare global {
  /** Where `get-nonce` looks: what locks scrolling behind a dialog writes its style by it. */
  var __webpack_nonce__: string | undefined;
}
globalThis.__webpack_nonce__ = cspNonce;
