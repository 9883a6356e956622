import type { Capability, Manifest } from '#libs/adapter-sdk';
import type { DeclaredVerification, EventReading, TextFrom } from '#libs/contracts';
import type { Failure } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

export type AppState = 'active' | 'paused' | 'disabled' | 'retired';

/** An installed App: one external provider of one project. */
@Entity({ schema: 'gateway', name: 'app' })
@Unique('app_token_hash', ['token_hash'])
@Index('app_by_project', ['project_id', 'id'])
@Index('app_by_version', ['version'])
@Index('app_bindings_due', ['bindings_due_at'], { where: 'bindings_due_at IS NOT NULL' })
@Index('app_one_per_provider', ['project_id', 'provider'], { unique: true, where: `"state" <> 'retired'` })
export class AppRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'app_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  /** `builtin` is the Webhook app: the gateway is its adapter. */
  @Column({ type: 'text' }) kind: 'builtin' | 'adapter';
  @Column({ type: 'text', nullable: true }) adapter_id: string | null;
  /**
   * The adapter's slug: a project has one App of each (spec 1). Null for the built-in Webhook app: it may have several.
   */
  @Column({ type: 'text', nullable: true }) provider: string | null;
  /** The capabilities of the adapter that this App was installed with. */
  @Column({ type: 'jsonb', default: ['send', 'receive'] }) capabilities: Capability[];
  /** The vault's record for each declaration, by the declaration's key. */
  @Column({ type: 'jsonb', default: {} }) credentials: Record<string, string>;
  /** When the vault is informed (again) which records the App uses; null when it knows. */
  @Column({ type: 'timestamptz', nullable: true }) bindings_due_at: Date | null;
  @Column({ type: 'text' }) state: AppState;
  /** Hex SHA-256 of the token in the webhook's URL: the ingress finds the App by it. */
  @Column({ type: 'text' }) token_hash: string;
  /** The token itself, to show to whoever manages the App; sealed with GATEHOUSE_WEBHOOK_KEY. */
  @Column({ type: 'bytea', nullable: true }) sealed_token: Buffer | null;
  /** Hash of the token before the last rotation, which works until `previous_token_until`. */
  @Column({ type: 'text', nullable: true }) previous_token_hash: string | null;
  @Column({ type: 'timestamptz', nullable: true }) previous_token_until: Date | null;
  @Column({ type: 'jsonb' }) retired_token_hashes: string[];
  /** How the ingress checks signatures of the built-in Webhook app; null: no check. */
  @Column({ type: 'jsonb', nullable: true }) signature: DeclaredVerification | null;
  /** Of the built-in Webhook app: the well-known sender that was chosen for it. */
  @Column({ type: 'text', nullable: true }) sender: string | null;
  /** Of the built-in Webhook app: where its events have type, key, sender and text. */
  @Column({ type: 'jsonb', nullable: true }) reading: EventReading | null;
  /** Of the built-in Webhook app: whether the sending system writes the text itself, or people may have written it. */
  @Column({ type: 'text', default: 'people' }) text_from: TextFrom;
  @Column({ type: 'integer' }) max_body_bytes: number;
  /** Sent with everything this App delivers, and recognised when it comes back (spec 4.2). */
  @Column({ type: 'text' }) origin_marker: string;
  /** Whether its channel has a reply address, as the router reported when it was set. */
  @Column({ type: 'boolean', default: false }) has_reply_address: boolean;
  /** That address; null also where it was set before it was kept here. */
  @Column({ type: 'text', nullable: true }) reply_address: string | null;
  /** Its project is closed, as the portal reported: the App takes no webhooks. */
  @Column({ type: 'boolean', default: false }) project_closed: boolean;
  /** The App's identity at its provider, from `/verify`; adapters need it to recognise their own messages. */
  @Column({ type: 'jsonb', nullable: true }) self: Record<string, unknown> | null;
  /** Why its webhook could not be renewed at the provider. */
  @Column({ type: 'jsonb', nullable: true }) renewal_failure: Failure | null;
  @Column({ type: 'integer' }) version: number;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}

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
  /** The manifest version whose Skill was last announced to the registry. */
  @Column({ type: 'integer', nullable: true }) skill_announced: number | null;
  /** The App's credentials that were last announced to the registry for the Skill. */
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

/** State of the Skill that the manifest in force declares. */
export class AdapterSkill {
  @ApiProperty({ enum: ['waiting', 'made', 'failed'] }) state: 'waiting' | 'made' | 'failed';
  @ApiProperty({ type: 'integer', description: 'Of the manifest that it is made from' }) version: number;
  @ApiProperty({ type: String, nullable: true }) skill_id: string | null;
  @ApiProperty({ type: String, nullable: true }) code: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why it could not be made, in words' })
  error: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Since when it fails' })
  since: string | null;
  @ApiProperty({ type: 'integer', description: 'Failures in a row' }) failures: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: not by itself' })
  next_try_at: string | null;
  @ApiProperty({ type: String, nullable: true }) what_to_do: string | null;
}
