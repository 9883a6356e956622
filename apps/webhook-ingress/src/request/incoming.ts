/** A request as the door read it. */
export interface Incoming {
  method: string;
  /** Path and query, including the token. */
  url: string;
  token: string;
  headers: Record<string, string | string[] | undefined>;
  /** Without the codings of its Content-Encoding. */
  body: Buffer;
  /** As it came, where that is something else. */
  compressed: Buffer | null;
  remoteAddress: string;
  /** Sent by the platform itself, to see how it is answered. */
  probe: boolean;
}
