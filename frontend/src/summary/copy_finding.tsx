// The button of a finding's card that copies it as text.

import { useState } from 'preact/hooks';
import type { Comparison, Finding } from '../contract/wire';
import { copyText } from '../host/host';
import { Icon } from '../ui/icons';
import { text } from '../ui/strings';

export function CopyFinding({ finding, comparison }: { finding: Finding; comparison: Comparison }) {
  const [status, setStatus] = useState('');
  const copy = (): void => {
    void import('./finding_text')
      .then(({ findingText }) => copyText(findingText(finding, comparison)))
      .catch(() => false)
      .then((done) => setStatus(done ? text.panel.copied : text.actions.notCopied));
  };
  return (
    <>
      <button type="button" class="icon-button" title={text.findings.copy} aria-label={text.findings.copyNamed(finding.subject)} onClick={copy} onBlur={() => setStatus('')}>
        <Icon name={status === text.panel.copied ? 'check' : 'copy'} size={14} />
      </button>
      <span class="sr" role="status">
        {status}
      </span>
    </>
  );
}
