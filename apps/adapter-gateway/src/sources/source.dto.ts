import { Flag, OneOf, PageQuery, Text, TextList, Whole } from '#libs/service-kit';

const trustNote =
  'owner: the project vouches for what is written there; untrusted, when absent: anybody may have written it';
const audienceNote = 'known, when absent: admitted contacts are answered from its documents; everyone: strangers too';

export class CreateSource {
  @Text(100, { minLength: 1, description: 'An App whose adapter has documents' }) app_id: string;
  @Text(200, { minLength: 1 }) name: string;
  @Text(2_000, { description: "What to list, in the adapter's own words: a bucket, a repository, a folder" })
  resource_path: string;
  @Whole(30, 2_592_000, { optional: true, description: 'Between two synchronisations; only when asked, when absent' })
  every_seconds?: number;
  @TextList(50, 100, {
    optional: true,
    description: 'Events of the App upon which it is synchronised; push when absent',
  })
  hint_events?: string[];
  @OneOf(['owner', 'untrusted'], { optional: true, description: trustNote }) trust?: 'owner' | 'untrusted';
  @OneOf(['known', 'everyone'], { optional: true, description: audienceNote }) audience?: 'known' | 'everyone';
}

export class ChangeSource {
  @Text(200, { optional: true, minLength: 1 }) name?: string;
  @OneOf(['active', 'paused'], { optional: true }) state?: 'active' | 'paused';
  @Whole(30, 2_592_000, { optional: true }) every_seconds?: number;
  @Flag({ optional: true, description: 'True: only when asked from now on' }) schedule_off?: boolean;
  @TextList(50, 100, { optional: true }) hint_events?: string[];
  @OneOf(['owner', 'untrusted'], { optional: true, description: trustNote }) trust?: 'owner' | 'untrusted';
  @OneOf(['known', 'everyone'], { optional: true, description: audienceNote }) audience?: 'known' | 'everyone';
}

export class DocumentQuery extends PageQuery {
  @OneOf(['current', 'removed'], { optional: true }) state?: string;
  @Text(2_000, { optional: true, description: 'Paths that begin so' }) prefix?: string;
}
