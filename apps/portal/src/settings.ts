import type { FailedKeysSettings } from './authentication/failed-keys.js';
import type { ProxySettings } from './proxy/proxy-routes.js';
import type { OidcSettings } from './sign-in/single-sign-on/oidc-settings.js';

export interface SessionSettings {
  /** Where browsers find the portal: over https its cookies are for https alone. */
  PUBLIC_URL: string;
  /** A session that is not used for so long is over. */
  SESSION_IDLE_SECONDS: number;
  /** A session is over after so long, whatever it is used for. */
  SESSION_SECONDS: number;
  SIGN_IN_LINK_SECONDS: number;
}

/** How long what was read of a caller is believed. */
export interface CallerCacheSettings {
  KEY_CACHE_MS: number;
}

/** What the portal's parts are given; `env.ts` reads it, tests write it. */
export interface PortalSettings
  extends ProxySettings, FailedKeysSettings, SessionSettings, CallerCacheSettings, OidcSettings {
  DATABASE_URL: string;
  DATABASE_POOL: number;
  /** The folder of the console's build. */
  CONSOLE_DIR: string;
}

/** Injection token of `PortalSettings`. */
export const SETTINGS = Symbol('PortalSettings');
