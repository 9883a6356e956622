import { sanitizeName } from '#libs/sanitizer';
import { anyValue, idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type AdapterRow, AdapterSkill } from '../../entities/app.entity.js';
import type { ManifestDifference } from '../adapters/manifest-difference.js';
import { type ManifestWarning, manifestWarnings } from '../adapters/manifest-warnings.js';
import { ManifestView } from '../adapters/manifest.dto.js';
import type { ManifestVersionRow } from './manifest-version.entity.js';

export class ManifestWarningView implements ManifestWarning {
  @ApiProperty({ description: 'Its place in the manifest: `skill.tool_names[1]`' }) field: string;
  @ApiProperty() message: string;
}

type Hidden = 'skill_announced' | 'skill_credentials' | 'name';

export class AdapterView implements Omit<AdapterRow, Hidden> {
  @ApiProperty(idOf('adp')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty() slug: string;
  @ApiProperty({ description: 'The name given here, or else that of its manifest' }) name: string;
  @ApiProperty({ description: 'A person disabled it: its messages and deliveries wait' }) disabled: boolean;
  @ApiProperty({ type: [ManifestWarningView], description: 'What the manifest in force names in vain or lacks' })
  warnings: ManifestWarning[];
  @ApiProperty({ type: String, nullable: true, description: 'Null: a skill without an adapter' }) base_url:
    string | null;
  @ApiProperty({ type: ManifestView, description: 'Version of the manifest in force' }) manifest: ManifestView;
  @ApiProperty({ type: 'integer' }) manifest_version: number;
  @ApiProperty({ type: AdapterSkill, nullable: true, description: 'State of the Skill that it declares' })
  skill: AdapterSkill | null;
  @ApiProperty({ enum: ['ready', 'unready'] }) state: AdapterRow['state'];
  @ApiProperty({ type: String, nullable: true }) state_reason: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Version of the adapter, from its /health' }) version:
    string | null;
  @ApiProperty({ type: Number, nullable: true }) latency_ms: number | null;
  @ApiProperty({ ...time, nullable: true }) checked_at: Date | null;
  @ApiProperty({ type: 'integer', description: 'Polls in a row that found it not ready' }) failed_polls: number;
  @ApiProperty(time) next_check_at: Date;
  @ApiProperty({ type: String, nullable: true, description: 'The last answer that broke the contract' }) violation:
    string | null;
  @ApiProperty({ ...time, nullable: true }) violation_at: Date | null;
  @ApiProperty(time) created_at: Date;
}

export class AdapterPage extends PageOf(AdapterView) {}

class ManifestDifferenceView implements ManifestDifference {
  @ApiProperty({ description: 'A JSON pointer' }) path: string;
  @ApiProperty({ ...anyValue, required: false, description: 'Absent: it was added' }) before?: unknown;
  @ApiProperty({ ...anyValue, required: false, description: 'Absent: it was removed' }) after?: unknown;
  @ApiProperty() needs_approval: boolean;
}

export class ManifestVersionView implements ManifestVersionRow {
  @ApiProperty(idOf('mfv')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(idOf('adp')) adapter_id: string;
  @ApiProperty({ type: 'integer' }) number: number;
  @ApiProperty({ type: ManifestView }) manifest: ManifestView;
  @ApiProperty({ type: [ManifestDifferenceView], description: 'Differences from the manifest that was in force then' })
  differences: ManifestDifferenceView[];
  @ApiProperty({ type: [ManifestWarningView], description: 'What it names in vain or lacks' })
  warnings: ManifestWarning[];
  @ApiProperty() fetched_by: string;
  @ApiProperty({ type: String, nullable: true }) approved_by: string | null;
  @ApiProperty({ ...time, nullable: true, description: 'Null: it waits for approval' }) activated_at: Date | null;
  @ApiProperty(time) created_at: Date;
}

export class ManifestVersionPage extends PageOf(ManifestVersionView) {}

export class RefreshedAdapterView {
  @ApiProperty({ type: AdapterView }) adapter: AdapterView;
  @ApiProperty({ type: ManifestVersionView }) version: ManifestVersionView;
  @ApiProperty({ description: 'Whether the version waits for approval' }) pending: boolean;
}

export function adapterView(row: AdapterRow): AdapterView {
  const { skill_announced: _announced, skill_credentials: _credentials, ...shown } = row;
  return {
    ...shown,
    name: row.name ?? (sanitizeName(row.manifest.name) || row.slug),
    warnings: manifestWarnings(row.manifest),
  };
}

export function manifestVersionView(row: ManifestVersionRow): ManifestVersionView {
  return { ...row, warnings: manifestWarnings(row.manifest) };
}
