import type { McpConnection } from './mcp-connection.js';
import { McpError } from './mcp-error.js';

/** A connection that this process has. */
export interface Held {
  readonly name: string;
  readonly serverId: string;
  /** Null: not the session of a conversation. */
  readonly conversation: string | null;
  readonly openedFor: string;
  /** Of the session; 0 where there is none to keep. */
  readonly generation: number;
  readonly opening: Promise<McpConnection>;
  readonly idle: NodeJS.Timeout;
  calls: number;
  usedMs: number;
  retired: boolean;
}

type Wanted = Pick<Held, 'name' | 'serverId' | 'conversation' | 'openedFor' | 'generation'>;

/** The connections of one process: at most so many, each with the time since its last call. */
export class HeldConnections {
  private readonly held = new Map<string, Held>();

  /** @param onIdle no call has used it for the time. @param onFull it has to go, because another one is needed */
  constructor(
    private readonly limits: { most: number; idleMs: number },
    private readonly onIdle: (held: Held) => void,
    private readonly onFull: (held: Held) => Promise<void>,
  ) {}

  get all(): Held[] {
    return [...this.held.values()];
  }

  get(name: string): Held | undefined {
    return this.held.get(name);
  }

  /** Its `opening` fails with McpError `busy` when all others have calls in flight. */
  open(wanted: Wanted, opener: () => Promise<McpConnection>): Held {
    const freed = this.held.size < this.limits.most ? Promise.resolve() : this.makeRoom();
    const opening = freed.then(opener);
    const idle = setTimeout(() => this.whenIdle(held), this.limits.idleMs).unref();
    const held: Held = { ...wanted, opening, idle, calls: 0, usedMs: Date.now(), retired: false };
    this.held.set(wanted.name, held);
    opening.catch(() => this.remove(held));
    return held;
  }

  /** While the work runs, the connection is neither idle nor in the way of others. */
  async during<T>(held: Held, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    held.calls += 1;
    try {
      const connection = await held.opening;
      if (!connection.usable) throw new McpError('session_lost', 'the connection ended', false);
      return await work(connection);
    } finally {
      held.calls -= 1;
      this.used(held);
      if (held.retired && held.calls === 0) await this.close(held);
    }
  }

  /** Its time without a call begins. */
  used(held: Held): void {
    held.usedMs = Date.now();
    if (this.held.get(held.name) === held) held.idle.refresh();
  }

  /** Nobody gets it any more. It is closed when its calls have ended. */
  async retire(held: Held): Promise<void> {
    this.remove(held);
    held.retired = true;
    if (held.calls === 0) await this.close(held);
  }

  /** @param end how it is closed */
  async close(held: Held, end = (connection: McpConnection) => connection.close()): Promise<void> {
    this.remove(held);
    const connection = await held.opening.catch(() => null);
    if (connection) await end(connection);
  }

  private remove(held: Held): void {
    clearTimeout(held.idle);
    if (this.held.get(held.name) === held) this.held.delete(held.name);
  }

  private whenIdle(held: Held): void {
    if (held.calls > 0) held.idle.refresh();
    else this.onIdle(held);
  }

  private async makeRoom(): Promise<void> {
    const free = this.all.filter(({ calls }) => calls === 0);
    const [oldest] = free.sort((a, b) => a.usedMs - b.usedMs);
    if (!oldest) {
      const message = `all ${this.limits.most} connections are in use (MCP_CONNECTIONS): call again when one is free`;
      throw new McpError('busy', message, false);
    }
    this.remove(oldest);
    await this.onFull(oldest);
  }
}
