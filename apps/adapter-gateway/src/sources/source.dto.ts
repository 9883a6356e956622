import { type DocumentAudience, documentAudiences, mostReaders } from '#libs/contracts';
import { Flag, Name, NestedList, OneOf, PageQuery, Text, TextList, Whole } from '#libs/service-kit';

const trustNote = 'owner: the project trusts what is written there; untrusted (default): anybody may have written it';
const audienceNote = 'known (default): admitted contacts get answers from its documents; everyone: unknown senders too';

const accessFromNote =
  'provider (default): who may open a document at the provider, as far as it says, gets answers from it; project: what the provider says is left aside';
const rulesNote =
  'Who gets answers from documents by the beginning of their path. The longest prefix holds, and the narrower of it and all else. A path without a rule is for nobody, unless there are no rules';
const mostRules = 100;

export class StatedAccessRule {
  @Text(2_000, { description: 'The beginning of paths, as hr/; empty: all' }) prefix: string;
  @OneOf(documentAudiences, { description: 'listed: only `readers`' }) audience: DocumentAudience;
  @TextList(mostReaders, 200, { optional: true, description: 'Of listed: addresses of people, and group:<name>' })
  readers?: string[];
}

export class CreateSource {
  @Text(100, { minLength: 1, description: 'An App whose adapter offers documents' }) app_id: string;
  @Name(200) name: string;
  @Text(2_000, { description: "What to list, in the adapter's notation: a bucket, a repository, a folder" })
  resource_path: string;
  @Whole(30, 2_592_000, { optional: true, description: 'Time between two synchronisations. Default: only on request' })
  every_seconds?: number;
  @TextList(50, 100, {
    optional: true,
    description: 'Events of the App that start a synchronisation. Default: push',
  })
  hint_events?: string[];
  @OneOf(['owner', 'untrusted'], { optional: true, description: trustNote }) trust?: 'owner' | 'untrusted';
  @OneOf(['known', 'everyone'], { optional: true, description: audienceNote }) audience?: 'known' | 'everyone';
  @OneOf(['provider', 'project'], { optional: true, description: accessFromNote }) access_from?: 'provider' | 'project';
  @NestedList(StatedAccessRule, mostRules, { optional: true, description: rulesNote })
  access_rules?: StatedAccessRule[];
}

export class ChangeSource {
  @Name(200, { optional: true }) name?: string;
  @OneOf(['active', 'paused'], { optional: true }) state?: 'active' | 'paused';
  @Whole(30, 2_592_000, { optional: true }) every_seconds?: number;
  @Flag({ optional: true, description: 'True: from now on only on request' }) schedule_off?: boolean;
  @TextList(50, 100, { optional: true }) hint_events?: string[];
  @OneOf(['owner', 'untrusted'], { optional: true, description: trustNote }) trust?: 'owner' | 'untrusted';
  @OneOf(['known', 'everyone'], { optional: true, description: audienceNote }) audience?: 'known' | 'everyone';
  @OneOf(['provider', 'project'], { optional: true, description: accessFromNote }) access_from?: 'provider' | 'project';
  @NestedList(StatedAccessRule, mostRules, { optional: true, description: rulesNote })
  access_rules?: StatedAccessRule[];
}

export class DocumentQuery extends PageQuery {
  @OneOf(['current', 'removed'], { optional: true }) state?: string;
  @Text(2_000, { optional: true, description: 'Paths that start with this' }) prefix?: string;
}
