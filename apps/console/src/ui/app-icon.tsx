import { Text, ThemeIcon } from '@mantine/core';
import {
  Calendar,
  CreditCard,
  Database,
  FileText,
  GitBranch,
  Hash,
  type LucideIcon,
  Mail,
  MessageCircle,
  Phone,
  Send,
  Webhook,
} from 'lucide-react';
import type { ReactNode } from 'react';

/** Icon names in manifests, and parts of them. */
const icons: readonly [part: string, icon: LucideIcon][] = [
  ['webhook', Webhook],
  ['mail', Mail],
  ['git', GitBranch],
  ['calendar', Calendar],
  ['phone', Phone],
  ['sms', Phone],
  ['pay', CreditCard],
  ['s3', Database],
  ['database', Database],
  ['slack', Hash],
  ['telegram', Send],
  ['storage', Database],
  ['file', FileText],
  ['drive', FileText],
  ['chat', MessageCircle],
  ['message', MessageCircle],
];

interface AppIconProps {
  icon: string | null | undefined;
  /** The first letter stands in for a missing icon. */
  name: string;
  size?: number;
}

export function AppIcon({ icon, name, size = 36 }: AppIconProps): ReactNode {
  const Icon = icons.find(([part]) => icon?.toLowerCase().includes(part))?.[1];
  return (
    <ThemeIcon variant="light" color={Icon ? 'accent' : 'gray'} size={size} radius="md" aria-hidden>
      {Icon ? (
        <Icon size={Math.round(size / 2)} />
      ) : (
        <Text fw={600} c="inherit">
          {name.slice(0, 1).toUpperCase()}
        </Text>
      )}
    </ThemeIcon>
  );
}
