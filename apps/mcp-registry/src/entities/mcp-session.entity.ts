import type { McpSessionEnd } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The session that one conversation has at an MCP server, so that any process can go on with it. There is no foreign
 * key: a server may be called before it is stored.
 */
@Entity({ schema: 'registry', name: 'mcp_session' })
@Index('mcp_session_used', ['used_at'])
export class McpSession {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'mcp_session_pkey' }) server_id: string;
  /** Empty: the session that all conversations share. Each of those then has a row that is never live. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'mcp_session_pkey' }) conversation: string;
  /** A hash of the URL and the credential. Another one needs another session. */
  @Column({ type: 'text' }) opened_for: string;
  /** False: it was ended. */
  @Column({ type: 'boolean' }) live: boolean;
  /** Of the session: the next one has the next number. */
  @Column({ type: 'integer' }) generation: number;
  /** Its id at the server; null: it is being opened, or was ended. */
  @Column({ type: 'text', nullable: true }) session: string | null;
  /** Null: the session is an event stream, which only the process that has it can use. */
  @Column({ type: 'text', nullable: true }) protocol_version: string | null;
  /** Calls, until `busy_until`: a process that was killed does not count its calls down. */
  @Column({ type: 'integer' }) in_flight: number;
  @Column({ type: 'timestamptz' }) busy_until: Date;
  @Column({ type: 'timestamptz' }) used_at: Date;
  /** How many sessions of this conversation are gone, and why the last one is. */
  @Column({ type: 'integer' }) lost: number;
  @Column({ type: 'text', nullable: true }) lost_why: McpSessionEnd | null;
  /** Of how many of those the conversation was informed. */
  @Column({ type: 'integer' }) heard: number;
}
