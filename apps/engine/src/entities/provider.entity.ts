import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProviderKind, ProviderPlace } from '../path/model/provider-kind.js';

/** What a test of a provider found. */
export interface ProviderFinding {
  check: 'models' | 'answer' | 'tools' | 'images' | 'streaming' | 'transcription';
  /** The credential whose key was tried; null: none was needed. */
  key: string | null;
  ok: boolean;
  /** As a sentence. */
  detail: string;
  duration_ms: number;
}

export interface ProviderTested {
  at: string;
  /** The model that was asked; null: none was named or listed. */
  model: string | null;
  findings: ProviderFinding[];
  /** Names of its models, as it lists them. */
  models: string[];
}

/** A provider of models that a project has connected. Agents name its models `<name>/<model>`. */
@Entity({ schema: 'engine', name: 'provider' })
@Index('provider_by_name', ['project_id', 'name'], { unique: true })
export class Provider {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'provider_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) kind: ProviderKind;
  /** Null: the public address of its kind. */
  @Column({ type: 'text', nullable: true }) base_url: string | null;
  @Column({ type: 'text', nullable: true }) region: string | null;
  @Column({ type: 'text', nullable: true }) cloud_project: string | null;
  /** Credentials of the vault that hold its keys, in the order in which they are used. */
  @Column({ type: 'text', array: true, default: '{}' }) credential_ids: string[];
  /** Models that people offer to agents. Agents may name others. */
  @Column({ type: 'text', array: true, default: '{}' }) models: string[];
  /** The project's agents that name no model use this one; null in all but one provider. */
  @Column({ type: 'text', nullable: true }) default_model: string | null;
  /** It hears the voice notes of the project's messages; null in all but one provider. */
  @Column({ type: 'text', nullable: true }) transcription_model: string | null;
  @Column({ type: 'jsonb', nullable: true }) tested: ProviderTested | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updated_at: Date;
}

export type ProviderFields = Pick<
  Provider,
  | 'name'
  | 'base_url'
  | 'region'
  | 'cloud_project'
  | 'credential_ids'
  | 'models'
  | 'default_model'
  | 'transcription_model'
>;

export function placeOf(provider: Pick<Provider, 'kind' | 'base_url' | 'region' | 'cloud_project'>): ProviderPlace {
  const { kind, base_url: baseUrl, region, cloud_project: cloudProject } = provider;
  return { kind, baseUrl, region, cloudProject };
}
