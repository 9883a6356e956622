import type { Manifest } from '#libs/adapter-sdk';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { AdapterSkill } from './adapter-skill.js';

/** A registered adapter: where it is, what its manifest says, how it was at the last health poll. */
@Entity({ schema: 'gateway', name: 'adapter' })
@Unique('adapter_slug', ['project_id', 'slug'])
@Index('adapter_by_next_check', ['next_check_at'])
export class AdapterRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'adapter_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) slug: string;
  /** Its name here; null: the name in its manifest. */
  @Column({ type: 'text', nullable: true }) name: string | null;
  /** A person disabled it: what is for it waits, and nothing calls it. */
  @Column({ type: 'boolean', default: false }) disabled: boolean;
  /** Null for a skill-only listing: there is nothing to call. */
  @Column({ type: 'text', nullable: true }) base_url: string | null;
  /** The manifest in force, which is version `manifest_version`. */
  @Column({ type: 'jsonb' }) manifest: Manifest;
  @Column({ type: 'integer', default: 1 }) manifest_version: number;
  /** The manifest version whose Skill was last told to the registry. */
  @Column({ type: 'integer', nullable: true }) skill_told: number | null;
  /** The App's credentials that were last told to the registry for the Skill. */
  @Column({ type: 'jsonb', default: {} }) skill_credentials: Record<string, string>;
  /** State of that Skill; null where no manifest in force has declared one. */
  @Column({ type: 'jsonb', nullable: true }) skill: AdapterSkill | null;
  @Column({ type: 'text' }) state: 'ready' | 'unready';
  @Column({ type: 'text', nullable: true }) state_reason: string | null;
  @Column({ type: 'text', nullable: true }) version: string | null;
  @Column({ type: 'double precision', nullable: true }) latency_ms: number | null;
  @Column({ type: 'timestamptz', nullable: true }) checked_at: Date | null;
  /** Polls in a row that did not find it ready. */
  @Column({ type: 'integer', default: 0 }) failed_polls: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) next_check_at: Date;
  /** The last answer that broke the contract: the route, and what was wrong with it. */
  @Column({ type: 'text', nullable: true }) violation: string | null;
  @Column({ type: 'timestamptz', nullable: true }) violation_at: Date | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
}
