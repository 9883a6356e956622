import type { DocumentAccess } from '#libs/contracts';
import type { Failure } from '#libs/service-kit';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What the provider says about everything below a source's path. */
export interface PlaceAccess extends DocumentAccess {
  /** What the adapter could not find out, in its words. */
  note: string | null;
}

/** Who may get answers from documents whose path begins with `prefix`. */
export interface AccessRule extends DocumentAccess {
  prefix: string;
}

/** A place at a provider whose documents are kept here: a bucket, a repository, a folder. */
@Entity({ schema: 'gateway', name: 'source' })
@Index('source_by_project', ['project_id', 'id'])
@Index('source_by_app', ['app_id'])
@Index('source_due', ['next_sync_at'], { where: `"state" = 'active'` })
export class SourceRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'source_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) name: string;
  /** What to list, in the adapter's own terms. */
  @Column({ type: 'text' }) resource_path: string;
  /** Null: only on request, by a person or a webhook. */
  @Column({ type: 'integer', nullable: true }) every_seconds: number | null;
  /** Events of the App that say that something has changed there. */
  @Column({ type: 'jsonb' }) hint_events: string[];
  /** `owner`: the project vouches for what is written there; `untrusted`: anybody may have written it. */
  @Column({ type: 'text', default: 'untrusted' }) trust: 'owner' | 'untrusted';
  /** Who may be answered from its documents. */
  @Column({ type: 'text', default: 'known' }) audience: 'known' | 'everyone';
  /** `project`: what the provider says about who may read is left aside, and only the settings here hold. */
  @Column({ type: 'text', default: 'provider' }) access_from: 'provider' | 'project';
  /** What the adapter said last about the whole place; null: nothing. */
  @Column({ type: 'jsonb', nullable: true }) access: PlaceAccess | null;
  /** The longest prefix holds. Where there are rules, a path without one is for nobody. */
  @Column({ type: 'jsonb', default: [] }) access_rules: AccessRule[];
  @Column({ type: 'text' }) state: 'active' | 'paused';
  /** The adapter's cursor at the end of the last whole listing. */
  @Column({ type: 'text', nullable: true }) cursor: string | null;
  /** Why its last synchronisation did not bring everything. */
  @Column({ type: 'jsonb', nullable: true }) sync_failure: Failure | null;
  /** Why the engine has not taken a change of its documents. */
  @Column({ type: 'jsonb', nullable: true }) feed_failure: Failure | null;
  @Column({ type: 'timestamptz', nullable: true }) next_sync_at: Date | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
