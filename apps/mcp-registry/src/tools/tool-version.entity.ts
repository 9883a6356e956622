import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { ToolDefinition } from './tool-definition.js';
import { Tool } from './tool.entity.js';

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
