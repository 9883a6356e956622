import type { ProviderHttp } from '#libs/adapter-sdk';
import { createHash } from 'node:crypto';
import type { SocketNetwork } from '#libs/egress';

/** What an adapter needs whose provider brings events over a socket. */
export interface SocketHttp extends ProviderHttp, SocketNetwork {
  /** That this process holds at most. */
  maxSockets: number;
}

interface Held<Session> {
  session: Session;
  users: number;
  unused: NodeJS.Timeout | undefined;
}

/** The platform asks again within milliseconds; who does not has gone, or asks another replica. */
const UNUSED_MS = 10_000;

/**
 * Sockets that outlive a call of `/poll`. They hold nothing that cannot be had again: an event that is not acknowledged is
 * sent once more by its provider, to whoever connects next.
 */
export class HeldSessions<Session extends { close(): void }> {
  private readonly held = new Map<string, Held<Session>>();

  constructor(private readonly most: number) {}

  /**
   * @param secret what names the account at the provider
   * @returns null: this process holds as many as it may
   */
  async use<T>(secret: string, make: () => Session, run: (session: Session) => Promise<T>): Promise<T | null> {
    const key = createHash('sha256').update(secret).digest('base64');
    let held = this.held.get(key);
    if (!held) {
      if (this.held.size >= this.most) return null;
      held = { session: make(), users: 0, unused: undefined };
      this.held.set(key, held);
    }
    clearTimeout(held.unused);
    held.users += 1;
    try {
      return await run(held.session);
    } finally {
      held.users -= 1;
      if (held.users === 0) held.unused = setTimeout(() => this.end(key), UNUSED_MS).unref();
    }
  }

  private end(key: string): void {
    this.held.get(key)?.session.close();
    this.held.delete(key);
  }
}
