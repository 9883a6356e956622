export const SESSION_SETTINGS = Symbol('SESSION_SETTINGS');

export interface SessionSettings {
  /** Where browsers find the portal: over https its cookies are for https alone. */
  PUBLIC_URL: string;
  /** A session that is not used for so long is over. */
  SESSION_IDLE_SECONDS: number;
  /** A session is over after so long, whatever it is used for. */
  SESSION_SECONDS: number;
  SIGN_IN_LINK_SECONDS: number;
}
