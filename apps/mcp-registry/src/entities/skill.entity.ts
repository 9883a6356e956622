import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation, Unique } from 'typeorm';
import { McpServer } from './mcp-server.entity.js';

/** Who made a Skill: a person, the registration of an MCP server, an adapter's manifest. */
export type SkillOrigin = 'person' | 'mcp_server' | 'manifest';

@Entity({ schema: 'registry', name: 'skill' })
@Unique('skill_slug', ['project_id', 'slug'])
@Index('skill_server', ['server_id'], { unique: true, where: 'server_id IS NOT NULL' })
export class Skill {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'skill_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) slug: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) description: string;
  @Column({ type: 'text' }) knowledge: string;
  @Column({ type: 'text' }) origin: SkillOrigin;
  /** The server whose tools it bundles. The Skill is deleted with that server. */
  @Column({ type: 'text', nullable: true }) server_id: string | null;
  @ManyToOne(() => McpServer, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'server_id', foreignKeyConstraintName: 'skill_server_fkey' })
  server?: Relation<McpServer>;
  /** Of the content; each change adds one. */
  @Column({ type: 'integer' }) version: number;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
