/** DI token of the settings below. */
export const OAUTH_SETTINGS = Symbol('OauthSettings');

export interface OauthSettings {
  /** Where browsers reach the installation: redirect URIs and links begin with it. */
  PUBLIC_URL: string;
  /** How long a person has for the provider's pages. */
  OAUTH_FLOW_SECONDS: number;
}
