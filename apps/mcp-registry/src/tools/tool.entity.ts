import type { ContentTrust, ToolGrade } from '#libs/contracts';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { McpServer } from '../entities/mcp-server.entity.js';
import type { ToolDefinition } from './tool-definition.js';

export const toolStates = ['approved', 'pending', 'changed', 'removed', 'quarantined'] as const;
export type ToolState = (typeof toolStates)[number];

/** A tool of an MCP server, or a Python tool. Built-in tools are code and have no row. */
@Entity({ schema: 'registry', name: 'tool' })
@Index('tool_by_project', ['project_id', 'id'])
@Index('tool_mcp_name', ['server_id', 'name'], { unique: true, where: "source = 'mcp'" })
@Index('tool_python_name', ['project_id', 'name'], { unique: true, where: "source = 'python'" })
export class Tool {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'tool_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) source: 'mcp' | 'python';
  @Column({ type: 'text', nullable: true }) server_id: string | null;
  @ManyToOne(() => McpServer, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'server_id', foreignKeyConstraintName: 'tool_server_fkey' })
  server?: Relation<McpServer>;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) state: ToolState;
  /** Why it is quarantined, or what of the server's definition was left out. */
  @Column({ type: 'text', nullable: true }) problem: string | null;
  /** The approved definition and its pin. Models see no other definition. */
  @Column({ type: 'jsonb', nullable: true }) definition: ToolDefinition | null;
  @Column({ type: 'text', nullable: true }) pin: string | null;
  /** The server's current definition, if it differs. */
  @Column({ type: 'jsonb', nullable: true }) candidate: ToolDefinition | null;
  @Column({ type: 'text', nullable: true }) candidate_pin: string | null;
  @Column({ type: 'text' }) grade: ToolGrade;
  @Column({ type: 'boolean' }) idempotent: boolean;
  /** A person set the grade, so the server's hints no longer count. */
  @Column({ type: 'boolean' }) graded: boolean;
  /** How far its results are trusted; null: as its server's are, and a Python tool's not at all. */
  @Column({ type: 'text', nullable: true }) trust: ContentTrust | null;
  /** Consecutive complete listings without this tool. */
  @Column({ type: 'integer' }) misses: number;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}

/** A definition that was in effect, with who approved it and when. */
@Entity({ schema: 'registry', name: 'tool_version' })
export class ToolVersion {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'tool_version_pkey' }) tool_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'tool_version_pkey' }) number: number;
  @ManyToOne(() => Tool, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tool_id', foreignKeyConstraintName: 'tool_version_tool_fkey' })
  tool?: Relation<Tool>;
  @Column({ type: 'text' }) pin: string;
  @Column({ type: 'jsonb' }) definition: ToolDefinition;
  /** The caller's subject, or `policy:auto`, `policy:warn`, `registration`. */
  @Column({ type: 'text' }) approved_by: string;
  @Column({ type: 'timestamptz' }) approved_at: Date;
}
