import { idOf, Name, OneOf, Text, TextList } from '#libs/service-kit';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayUnique, Matches } from 'class-validator';
import { type ProviderKind, providerKinds } from '../../path/model/provider-kind.js';
import type { ModelPrices } from '../../path/model/model-spending.js';
import { listPriceOf } from '../../path/model/price-list.js';
import { type ProviderPreset, presets } from './presets.js';
import { placeOf, type Provider, type ProviderFinding, type ProviderTested } from '../../entities/provider.entity.js';

const slugPattern = /^[a-z0-9][a-z0-9-]{0,39}$/;
const slugRule = 'lower-case letters, digits and dashes, at most 40';
const regionPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
const slugNote = 'First part of its models’ names: agents name `<name>/<model>`. It changes only while no agent does';
const urlNote = 'http or https, up to the version; default: the public address of the kind';
const keysNote =
  'Credentials of the vault that hold its keys, in the order in which they are used: an api_key, or a text credential with ' +
  'api_key; access_key_id and secret_access_key (Bedrock); service_account (Vertex)';
const defaultNote = 'Used by the project’s agents that name no model. One provider of a project has it';
const transcriptionNote = 'Hears the voice notes of the project’s messages. One provider of a project has it';
const checks = ['models', 'answer', 'tools', 'images', 'streaming', 'transcription'] as const;

const Keys = (): PropertyDecorator =>
  applyDecorators(
    ArrayUnique({ message: 'names a credential twice' }),
    TextList(20, 100, { optional: true, description: keysNote }),
  );
const Region = (): PropertyDecorator =>
  applyDecorators(
    Matches(regionPattern, { message: 'a region, such as eu-west-1' }),
    Text(63, { optional: true, nullable: true, description: 'Of Bedrock and Vertex' }),
  );
const CloudProject = (): PropertyDecorator =>
  applyDecorators(
    Matches(/^[a-z0-9:.-]{1,100}$/, { message: 'the id of a Google Cloud project' }),
    Text(100, { optional: true, nullable: true, description: 'Of Vertex: the id of the Google Cloud project' }),
  );

class ProviderBody {
  @Text(2_048, { optional: true, nullable: true, description: urlNote }) base_url?: string | null;
  @Region() region?: string | null;
  @CloudProject() cloud_project?: string | null;
  @Keys() credential_ids?: string[];
  @TextList(200, 200, { optional: true, description: 'Models that agents are offered' }) models?: string[];
  @Text(200, { optional: true, nullable: true, minLength: 1, description: defaultNote }) default_model?: string | null;
  @Text(200, { optional: true, nullable: true, minLength: 1, description: transcriptionNote }) transcription_model?:
    string | null;
}

export class CreateProvider extends ProviderBody {
  @Matches(slugPattern, { message: slugRule })
  @Name(40, { description: slugNote })
  name: string;
  @OneOf(providerKinds) kind: ProviderKind;
}

export class UpdateProvider extends ProviderBody {
  @Matches(slugPattern, { message: slugRule })
  @Name(40, { optional: true, description: slugNote })
  name?: string;
}

export class TestProvider {
  @Text(200, {
    optional: true,
    minLength: 1,
    description: 'The model that is asked. Default: the default model, else the first offered or listed one',
  })
  model?: string;
}

class ProviderFindingView implements ProviderFinding {
  @ApiProperty({ enum: checks }) check: ProviderFinding['check'];
  @ApiProperty({ type: String, nullable: true, description: 'The credential whose key was tried' }) key: string | null;
  @ApiProperty() ok: boolean;
  @ApiProperty({ description: 'As a sentence' }) detail: string;
  @ApiProperty() duration_ms: number;
}

export class TestedView implements ProviderTested {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ type: String, nullable: true, description: 'The model that was asked' }) model: string | null;
  @ApiProperty({ type: [ProviderFindingView] }) findings: ProviderFindingView[];
  @ApiProperty({ type: [String], description: 'As the provider lists them, at most 500' }) models: string[];
}

class ModelPriceView {
  @ApiProperty({ description: 'Without the name of the provider' }) model: string;
  @ApiProperty({ type: Number, nullable: true, description: 'Per million tokens; null: no price is known' })
  input: number | null;
  @ApiProperty({ type: Number, nullable: true }) output: number | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Of cached input; null: as any input' })
  cached: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'The day on which the provider began to list it' })
  date: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The provider’s page; null: it is from MODEL_PRICES' })
  source: string | null;
}

export class ProviderView {
  @ApiProperty(idOf('prv')) id: string;
  @ApiProperty({ description: slugNote }) name: string;
  @ApiProperty({ enum: providerKinds }) kind: ProviderKind;
  @ApiProperty({ type: String, nullable: true }) base_url: string | null;
  @ApiProperty({ type: String, nullable: true }) region: string | null;
  @ApiProperty({ type: String, nullable: true }) cloud_project: string | null;
  @ApiProperty({ type: [String] }) credential_ids: string[];
  @ApiProperty({ type: [String] }) models: string[];
  @ApiProperty({ type: String, nullable: true, description: defaultNote }) default_model: string | null;
  @ApiProperty({ type: String, nullable: true, description: transcriptionNote }) transcription_model: string | null;
  @ApiProperty({ type: [ModelPriceView], description: 'Of the offered models and the default model' })
  prices: ModelPriceView[];
  @ApiProperty({ type: TestedView, nullable: true, description: 'The last test; null: it was not tested' })
  tested: ProviderTested | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
}

export class ProviderList {
  @ApiProperty({ type: [ProviderView] }) data: ProviderView[];
}

class PresetView implements ProviderPreset {
  @ApiProperty() id: string;
  @ApiProperty() name: string;
  @ApiProperty({ enum: providerKinds }) kind: ProviderKind;
  @ApiProperty({ type: String, nullable: true, description: 'Null: the public address of the kind, or none' })
  base_url: string | null;
  @ApiProperty({ type: [String], enum: ['base_url', 'region', 'cloud_project', 'key'] })
  needs: ProviderPreset['needs'];
}

export class PresetList {
  @ApiProperty({ type: [PresetView] }) data: PresetView[];
}

export const presetList = (): PresetList => ({ data: [...presets] });

export function providerView(
  { organization_id: _o, project_id: _p, ...row }: Provider,
  prices: ModelPrices,
): ProviderView {
  const { default_model } = row;
  const models = [...new Set([...(default_model === null ? [] : [default_model]), ...row.models])];
  return {
    ...row,
    prices: models.map((model) => priceView(row, model, prices)),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function priceView(row: Parameters<typeof placeOf>[0] & { name: string }, model: string, prices: ModelPrices) {
  const price = prices.priceOf(`${row.name}/${model}`, listPriceOf(placeOf(row), model));
  const { input = null, output = null, cached = null, listed = null } = price ?? {};
  return { model, input, output, cached, date: listed?.date ?? null, source: listed?.source ?? null };
}
