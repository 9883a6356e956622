import type { Logger } from 'pino';
import { Backoff } from './backoff.js';
import type { SidecarSettings } from './env.js';
import type { StdioServer } from './server-file.js';
import { Session, type SessionEnd } from './session.js';

/** No session was opened, and no process was started. */
export class SessionRefused extends Error {
  override readonly name = 'SessionRefused';
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** The sessions of this process. It limits their number and delays restarts of a server that keeps exiting. */
export class Sessions {
  private readonly open = new Map<string, { server: string; session: Session }>();
  private readonly backoffs = new Map<string, Backoff>();
  /** Counted before a process starts, so that two requests cannot take the last place. */
  private places: number;
  private closed = false;

  constructor(
    private readonly settings: SidecarSettings,
    private readonly log: Logger,
  ) {
    this.places = settings.MCP_SIDECAR_SESSIONS;
  }

  /** A session of another server counts as not found. */
  find(server: string, id: string): Session | null {
    const found = this.open.get(id);
    return found?.server === server ? found.session : null;
  }

  /** @throws SessionRefused */
  async start(name: string, server: StdioServer): Promise<Session> {
    if (this.closed) throw new SessionRefused('The sidecar is stopping.', 1);
    const backoff = this.backoffOf(name);
    if (backoff.waitMs > 0) {
      throw new SessionRefused(
        `${name} keeps exiting: it is started again after a pause.`,
        Math.ceil(backoff.waitMs / 1_000),
      );
    }
    if (this.places <= 0) {
      const most = this.settings.MCP_SIDECAR_SESSIONS;
      throw new SessionRefused(`${most} sessions are open, the limit MCP_SIDECAR_SESSIONS. Raise it, or end one.`, 5);
    }
    this.places -= 1;
    const limits = {
      messageBytes: this.settings.MCP_SIDECAR_MESSAGE_BYTES,
      pending: this.settings.MCP_SIDECAR_PENDING,
      idleMs: this.settings.MCP_SIDECAR_IDLE_MS,
    };
    try {
      const session = await Session.start(server, limits, (one, end) => this.ended(name, one, end));
      this.open.set(session.id, { server: name, session });
      if (this.closed) await session.end('shutdown');
      return session;
    } catch (error) {
      this.places += 1;
      backoff.ended(0);
      const { code } = error as NodeJS.ErrnoException;
      this.log.error({ event: 'sidecar.start_failed', server: name, code: code ?? 'unknown' });
      throw new SessionRefused(`${name} cannot be started.`, 5);
    }
  }

  /** Ends all processes and waits until they have exited. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.open.values()].map(({ session }) => session.end('shutdown')));
  }

  private ended(server: string, session: Session, end: SessionEnd): void {
    const livedMs = Date.now() - session.startedMs;
    this.open.delete(session.id);
    this.places += 1;
    if (end === 'process_ended') this.backoffOf(server).ended(livedMs);
    this.log[end === 'process_ended' ? 'warn' : 'info']({
      event: 'sidecar.session',
      server,
      end,
      requests: session.requests,
      lived_ms: livedMs,
      sessions: this.open.size,
    });
  }

  private backoffOf(name: string): Backoff {
    const { MCP_SIDECAR_HEALTHY_MS, MCP_SIDECAR_BACKOFF_MS, MCP_SIDECAR_BACKOFF_MAX_MS } = this.settings;
    const known = this.backoffs.get(name);
    if (known) return known;
    const made = new Backoff({
      healthyMs: MCP_SIDECAR_HEALTHY_MS,
      firstMs: MCP_SIDECAR_BACKOFF_MS,
      mostMs: MCP_SIDECAR_BACKOFF_MAX_MS,
    });
    this.backoffs.set(name, made);
    return made;
  }
}
