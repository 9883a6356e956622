import { type DocumentAccess, documentAudiences } from '#libs/contracts';
import { Failure, idOf, PageOf, time } from '#libs/service-kit';
import type { WorkRow } from '#libs/work';
import { ApiProperty } from '@nestjs/swagger';
import type { Provenance, SourceDocumentRow } from './source-document.entity.js';
import type { AccessRule, PlaceAccess, SourceRow } from './source.entity.js';
import type { DocumentFailure, SyncCause, SyncRunRow } from './sync-run.entity.js';

class AccessView implements DocumentAccess {
  @ApiProperty({ enum: documentAudiences }) audience: DocumentAccess['audience'];
  @ApiProperty({ type: [String] }) readers: string[];
}

class PlaceAccessView extends AccessView implements PlaceAccess {
  @ApiProperty({ type: String, nullable: true, description: 'What the adapter could not find out' }) note:
    string | null;
}

class AccessRuleView extends AccessView implements AccessRule {
  @ApiProperty({ description: 'The beginning of paths; empty: all' }) prefix: string;
}

export class SourceView implements SourceRow {
  @ApiProperty(idOf('src')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty() name: string;
  @ApiProperty({ description: "What is listed, in the adapter's notation" }) resource_path: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null: only on request' }) every_seconds: number | null;
  @ApiProperty({ type: [String] }) hint_events: string[];
  @ApiProperty({ enum: ['owner', 'untrusted'] }) trust: SourceRow['trust'];
  @ApiProperty({ enum: ['known', 'everyone'] }) audience: SourceRow['audience'];
  @ApiProperty({ enum: ['provider', 'project'], description: 'project: what the provider says is left aside' })
  access_from: SourceRow['access_from'];
  @ApiProperty({
    type: PlaceAccessView,
    nullable: true,
    description: 'Who may open everything there, as the provider says; null: it does not say',
  })
  access: PlaceAccessView | null;
  @ApiProperty({
    type: [AccessRuleView],
    description: 'The longest prefix holds; where there are rules, a path without one is for nobody',
  })
  access_rules: AccessRuleView[];
  @ApiProperty({ enum: ['active', 'paused'] }) state: SourceRow['state'];
  @ApiProperty({ type: String, nullable: true, description: 'From the adapter' }) cursor: string | null;
  @ApiProperty({ type: Failure, nullable: true, description: 'Why the last synchronisation is incomplete' })
  sync_failure: Failure | null;
  @ApiProperty({
    type: Failure,
    nullable: true,
    description: 'Why a change of its documents has not reached the knowledge yet',
  })
  feed_failure: Failure | null;
  @ApiProperty({ ...time, nullable: true }) next_sync_at: Date | null;
  @ApiProperty(time) created_at: Date;
  @ApiProperty(time) updated_at: Date;
}

export class SourcePage extends PageOf(SourceView) {}

class SyncFailureView implements DocumentFailure {
  @ApiProperty() path: string;
  @ApiProperty() error: string;
}

export class SyncRunView implements Omit<SyncRunRow, keyof WorkRow | 'listed' | 'organization_id'> {
  @ApiProperty(idOf('syn')) id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(idOf('src')) source_id: string;
  @ApiProperty({ enum: ['schedule', 'request', 'webhook'] }) cause: SyncCause;
  @ApiProperty({
    enum: ['queued', 'running', 'succeeded', 'partial', 'failed'],
    description: '`partial`: it reached SYNC_MAX_PAGES, and another run goes on from its cursor',
  })
  state: SyncRunRow['state'];
  @ApiProperty({ enum: ['listing', 'fetching'] }) phase: SyncRunRow['phase'];
  @ApiProperty({ type: String, nullable: true }) cursor: string | null;
  @ApiProperty({ type: 'integer', description: 'Listings that were started' }) listing: number;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Null before its first page' }) full_listing:
    boolean | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The run that began the listing, where this one goes on with it',
  })
  continues: string | null;
  @ApiProperty({ type: 'integer' }) pages: number;
  @ApiProperty({ type: 'integer' }) added: number;
  @ApiProperty({ type: 'integer' }) changed: number;
  @ApiProperty({ type: 'integer' }) removed: number;
  @ApiProperty({ type: 'integer' }) failed: number;
  @ApiProperty({ type: [SyncFailureView] }) failures: SyncFailureView[];
  @ApiProperty({ type: 'integer', description: 'Failures of the run since its last progress' })
  attempts: number;
  @ApiProperty({ type: String, nullable: true }) error: string | null;
  @ApiProperty({ type: String, nullable: true }) error_detail: string | null;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ ...time, nullable: true }) finished_at: Date | null;

  static of(run: SyncRunRow): SyncRunView {
    const { claim: _claim, owner: _owner, lease_until: _lease, due_at: _due, blocked_since: _since, ...rest } = run;
    const {
      listed: _listed,
      organization_id: _organization,
      deaths: _deaths,
      on_trial: _trial,
      tries,
      reason: error,
      ended_at: finished_at,
      ...view
    } = rest;
    // The claim that works on it has not failed.
    return { ...view, attempts: view.state === 'running' ? tries - 1 : tries, error, finished_at };
  }
}

export class SyncRunPage extends PageOf(SyncRunView) {}

class ProvenanceView implements Provenance {
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty() adapter: string;
  @ApiProperty() resource_path: string;
  @ApiProperty(idOf('syn')) run_id: string;
  @ApiProperty(time) fetched_at: string;
}

/** A document as it was last fetched; a removed one stays, without its bytes. */
export class SourceDocumentView implements Omit<SourceDocumentRow, 'content' | 'seen_in' | 'offer_at'> {
  @ApiProperty(idOf('sdoc')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(idOf('src')) source_id: string;
  @ApiProperty() path: string;
  @ApiProperty({ enum: ['current', 'removed'] }) state: SourceDocumentRow['state'];
  @ApiProperty({ type: String, nullable: true, description: "The provider's version marker" }) fingerprint:
    string | null;
  @ApiProperty() content_type: string;
  @ApiProperty({ type: 'integer', description: 'Bytes' }) size: number;
  @ApiProperty() sha256: string;
  @ApiProperty({
    type: AccessView,
    nullable: true,
    description: 'Who may open it there; null: the provider does not say',
  })
  access: AccessView | null;
  @ApiProperty({ type: ProvenanceView }) provenance: ProvenanceView;
  @ApiProperty({ type: 'integer', description: 'Increases with every change of the document' }) revision: number;
  @ApiProperty({ type: Failure, nullable: true, description: 'Why its last change has not reached the knowledge yet' })
  knowledge_failure: Failure | null;
  @ApiProperty({ description: 'Its state in the knowledge; `waiting`: the engine has not taken it yet' })
  knowledge: string;
  @ApiProperty(time) created_at: Date;
  @ApiProperty(time) updated_at: Date;
  @ApiProperty({ ...time, nullable: true }) removed_at: Date | null;
}

export class SourceDocumentPage extends PageOf(SourceDocumentView) {}
