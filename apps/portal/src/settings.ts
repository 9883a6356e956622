import type { FrontDoorSettings } from './front-door/front-door.js';
import type { ReplicaSettings } from '#libs/list-reads';
import type { MoveAcceptance } from './move-accepts.js';
import type { ProxySettings } from './proxy/proxy-routes.js';
import type { OidcSettings } from './sign-in/single-sign-on/oidc-settings.js';

export interface FailedKeysSettings {
  FAILED_KEYS_PER_ADDRESS: number;
  FAILED_KEYS_PER_PREFIX: number;
  FAILED_KEYS_WINDOW_MS: number;
  FAILED_KEYS_TRACKED: number;
}

export interface SessionSettings {
  /** Where browsers reach the portal. With https, its cookies are sent over https only. */
  PUBLIC_URL: string;
  /** A session ends after this long without a request. */
  SESSION_IDLE_SECONDS: number;
  /** A session ends after this long, whatever its use. */
  SESSION_SECONDS: number;
  SIGN_IN_LINK_SECONDS: number;
}

/** How long a caller's rights are cached. */
export interface CallerCacheSettings {
  KEY_CACHE_MS: number;
}

/** Whether lists may come from a replica, and how old they may then be. */
export interface ReplicaUseSettings {
  DATABASE_REPLICA_URL: string | null;
  REPLICA_MAX_LAG_MS: number;
}

/** The settings of the portal's parts. `env.ts` reads them; tests write their own. */
export interface PortalSettings
  extends
    FrontDoorSettings,
    ProxySettings,
    FailedKeysSettings,
    SessionSettings,
    CallerCacheSettings,
    OidcSettings,
    ReplicaSettings {
  DATABASE_URL: string;
  DATABASE_POOL: number;
  /** The folder of the console's build. */
  CONSOLE_DIR: string;
  /** Queues whose oldest due job waits longer than this need attention. */
  QUEUE_ATTENTION_MS: number;
  /** A service whose answers were late for so long counts as away; before, as slow. */
  SERVICE_SILENT_MS: number;
  /** How often alert rules look. */
  ALERT_LOOK_MS: number;
  /** How often alerts that wait are sent; new ones are sent at once. */
  ALERT_SEND_MS: number;
  ALERT_DAYS: number;
  /** The longest answer of a tool for operators' assistants, in characters. */
  OPERATIONS_ANSWER_CHARS: number;
  /** Whose projects may be moved here, and with which key. */
  MOVE_ACCEPTS: MoveAcceptance[];
}

/** Injection token of `PortalSettings`. */
export const SETTINGS = Symbol('PortalSettings');
