/** What went wrong, by the code of an error. */
const failures = {
  'failure.role': 'A sua função não o permite.',
  'failure.changed': 'Alguém alterou isto desde que o abriu. Veja outra vez antes de decidir.',
  'failure.unfinished': 'O servidor foi interrompido durante a operação. Veja se foi feita; se não, tente de novo.',
  'failure.unknown': 'Não há nada neste endereço, ou pertence a uma conta que não pode ver.',
  'failure.too_large': 'É mais do que o servidor aceita de uma vez. Divida o ficheiro.',
  'failure.draft_state': 'Este ficheiro já não pode ser alterado aqui. Carregue-o de novo.',
  'failure.expired': 'O lote esperou demasiado tempo. Rejeite-o e submeta o ficheiro de novo.',
  'failure.run_id':
    'O identificador da série tem de 1 a 64 letras, algarismos, “.”, “_” ou “-”, e começa por uma letra ou um algarismo.',
  'failure.busy': 'Outro programa está a trabalhar para esta conta. Tente mais tarde.',
  'failure.service': 'O serviço não responde. Tente mais tarde.',
  'failure.credentials': 'O serviço não aceita as credenciais da conta. Um administrador tem de as corrigir.',
  'failure.state': 'O estado do lote ou da linha não o permite. Veja-o de novo.',
  'failure.refused': 'O servidor não aceitou isto. Verifique o que escreveu e tente de novo.',
  'failure.config': 'A configuração do servidor está errada. Um administrador tem de a corrigir.',
  'failure.not_releasable':
    'Esta linha não pode ser libertada aqui: outro lote tem a sua referência. Decida sobre ela nesse lote e ignore-a aqui.',
  'failure.second_person': 'Outra pessoa tem de o fazer.',
  'failure.service_changed':
    'A conta aponta agora para um serviço diferente do deste lote. Um administrador tem de a corrigir.',
  'failure.unreadable': 'Não é possível ler o ficheiro ou a pasta.',
  'failure.file': 'O ficheiro não pode ser pago como está. Corrija-o e carregue-o de novo.',
  'failure.ledger': 'O livro-razão não pode ser usado. Um administrador tem de o ver; até lá nada é enviado.',
  'failure.ledger_full':
    'O disco do livro-razão está cheio. Um administrador tem de libertar espaço; nada mais foi enviado.',
  'failure.ledger_io': 'Não foi possível escrever no livro-razão. Um administrador tem de verificar o disco.',
  'failure.ledger_busy': 'Outro programa está a usar o livro-razão. Tente mais tarde.',
  'failure.backup': 'Esta cópia de segurança não pode ser usada. Escolha outra.',
  'failure.folder': 'Não é possível escrever na pasta. Um administrador tem de o corrigir; o livro-razão tem tudo.',
  'failure.fenced': 'Outro processo assumiu o trabalho. Tente de novo.',
  'failure.session': 'A sua sessão já não corresponde a esta página. Recarregue a página e entre de novo.',
  'failure.provider': 'O fornecedor de identidade não responde. Tente mais tarde.',
  'failure.factor':
    'A sua aplicação com códigos já não pode ser verificada. Um administrador tem de repor o seu acesso.',
  'failure.shown_once': 'Isto foi mostrado uma vez e não pode ser mostrado de novo. Crie outro.',
  'failure.details': 'Para o apoio, em inglês',
  'failure.system': 'O sistema operativo comunica: {what}.',
  'system.full': 'o disco está cheio ({code})',
  'system.forbidden': 'o acesso não é permitido ({code})',
  'system.read_only': 'não é possível escrever no disco ({code})',
  'system.missing': 'não existe ({code})',
  'system.exists': 'já existe ({code})',
  'system.busy': 'outro programa está a usá-lo ({code})',
  'system.disk': 'o disco tem um erro ({code})',
  'system.network': 'não há ligação ({code})',
  'system.other': 'um erro ({code})',
};

/** Why a person's request is refused, by code. */
const refusals = {
  'reason.BATCH_IS': 'O estado do lote é “{batch_status}”, o que não o permite.',
  'reason.BATCH_CHANGED': 'O lote mudou entretanto. Veja-o de novo.',
  'reason.BATCH_PAUSED': 'Uma pessoa já pausou o lote.',
  'reason.BATCH_NOT_PAUSED': 'Pause primeiro o lote: as suas linhas podem ser enviadas a qualquer momento.',
  'reason.BATCH_FORGOTTEN':
    'Os nomes e os números deste lote foram apagados: as suas linhas não podem ser pagas de novo.',
  'reason.NOT_SUBMITTER': 'Só {name}, que submeteu o lote, o pode retirar.',
  'reason.ROW_IS': 'O estado da linha {row} é “{row_status}”, e não “{wanted_status}”.',
  'reason.ROW_CHANGED': 'A linha {row} mudou entretanto. Veja-a de novo.',
  'reason.ROW_LOOKED_UP': 'A linha {row} ainda está a ser consultada. Decida só se as consultas nada encontrarem.',
  'reason.ROW_TOO_EARLY':
    'O serviço aceitou a linha {row} em {sent_at} e ainda pode comunicar o resultado. Pode decidir a partir de {from_at}.',
  'reason.ROW_UNANSWERED':
    'O serviço não diz em que ponto está a linha {row}. Tente mais tarde; a partir de {from_at} pode decidir sem a sua resposta.',
  'reason.ROW_ANSWERED':
    '{why, select, own {O serviço diz agora “{service_status}” da linha {row}. É consultada de novo.} other {O serviço tem outro pagamento da linha {row} ({topup_id}): “{service_status}”. Pode ter pago a linha: pergunte ao serviço.}}',
  'reason.ROW_LEFT_OUT': 'A linha {row} está excluída do ficheiro. Reponha-a primeiro.',
  'reason.REPORTS_MISSING': 'Ainda não há tais relatórios do lote. Escreva-os primeiro.',
  'reason.PERSON_EXISTS': 'Já há uma pessoa com o nome {name} ou com este endereço de e-mail.',
  'reason.PERSON_UNKNOWN': 'Não há nenhuma pessoa com o nome {name}.',
  'reason.EMAIL_TAKEN': 'Outra pessoa tem este endereço de e-mail.',
  'reason.LAST_ADMIN': '{name} é o único administrador. Dê primeiro essa função a outra pessoa.',
  'reason.NAME_MISSING': 'Escolha um nome.',
  'reason.APP_EXISTS': 'Já tem uma aplicação com códigos. Remova-a primeiro.',
  'reason.API_KEY_EXISTS': 'Já há uma chave com o nome {name}. Escolha outro nome ou revogue essa chave.',
  'reason.API_KEY_UNKNOWN': 'Não há nenhuma chave com o nome {name}, ou já foi revogada.',
  'reason.SESSION_ENDED': 'Esta sessão já terminou.',
  'reason.OWNER_UNFIT':
    '{name} não pode tratar destas linhas. Escolha uma pessoa com a função “operar” ou “resolver” nesta conta.',
  'reason.NUMBER_UNPAYABLE': 'Não é um número que possa ser pago. Escreva-o com “+” e o indicativo do país.',
  'reason.ENDPOINTS_MAX': 'Já existe o número máximo de destinos: {count}. Elimine um primeiro.',
  'reason.ENDPOINT_LOCAL':
    'Este endereço é o do próprio servidor. Um administrador tem de permitir endereços privados.',
  'reason.ENDPOINT_DISABLED': 'O destino está desativado. Ative-o primeiro.',
  'reason.TIME_PAST': 'Esta hora já passou. Escolha uma hora futura.',
  'reason.TIMES_BACKWARDS': 'O fim é antes do início. Escolha primeiro a data mais antiga.',
  'reason.DAY_TO_COME': 'Este dia ainda não chegou. Escolha um dia que já começou.',
  'reason.LINE_UNKNOWN': 'Esta linha já não existe. Compare de novo.',
  'reason.JOB_UNKNOWN': 'Já não há nenhuma tarefa com o nome {job}.',
  'reason.FIX_UNFIT': 'Estas linhas não podem ser corrigidas assim, ou com este valor.',
  'reason.COLUMNS_UNCLEAR': 'Indique primeiro o significado de cada coluna.',
  'reason.INPUT_REFUSED': 'O servidor não aceita o que escreveu. Verifique: {fields}.',
  'reason.DOUBT_OPEN': 'Não se sabe se isto foi pago. O airbatch consulta de novo.',
  'reason.DOUBT_INTERRUPTED': 'O programa terminou durante o envio. O airbatch consulta se foi pago.',
  'reason.DOUBT_OTHER':
    'Uma pessoa tem de decidir: com a referência da linha {row} do lote {batch}, o serviço tem {difference, select, reference {outra referência} phone_number {outro número de telefone} product {outro produto} currency {outra moeda} other {outro montante}}.',
  'reason.DOUBT_SEVERAL':
    'Uma pessoa tem de decidir: o serviço tem vários pagamentos com a referência da linha {row} do lote {batch}: {count}.',
  'reason.DOUBT_UNFOUND': 'Uma pessoa tem de decidir: a resposta do serviço contradiz-se.',
  'reason.DOUBT_SAME_ERROR':
    'Uma pessoa tem de decidir: o serviço repetiu o mesmo erro ({http_status}), {times, plural, one {# vez} other {# vezes}}. Pode ser uma resposta guardada.',
  'reason.DOUBT_NOT_FOUND':
    'Uma pessoa tem de decidir: foi enviada {times, plural, one {# vez} other {# vezes}} e nenhuma consulta a encontrou.',
  'reason.DOUBT_KEY_OLD':
    'Uma pessoa tem de decidir: é demasiado antiga para ser reenviada com segurança, e o serviço não a tem.',
  'reason.DOUBT_REFUSED': 'Uma pessoa tem de decidir: o serviço recusou-a tantas vezes quantas pode ser tentada.',
  'reason.DOUBT_UNANSWERED':
    'Uma pessoa tem de decidir: o serviço não respondeu a nenhuma consulta durante um dia ({code}).',
  'reason.DOUBT_RESTORED':
    'Uma pessoa tem de decidir: o serviço tem o pagamento {topup_id}, que o livro-razão restaurado não tem.',
  'reason.DOUBT_EARLIER':
    'Uma pessoa tem de decidir: o serviço diz “{service_status}” de uma tentativa anterior (número {generation}).',
  'reason.DOUBT_PAID_BEFORE':
    'Uma pessoa tem de decidir: pelo que o serviço diz agora, a linha {row} do lote {batch} pode ter pago o mesmo.',
  'reason.ROW_OVERDUE': 'O serviço não comunicou um resultado no prazo que promete.',
  'reason.PAUSE_FAILURES': 'Linhas falhadas entre as últimas {rows}: {failed}. Não são permitidas mais de {percent}%.',
  'reason.PAUSE_FIRST_ROWS':
    'Linhas falhadas entre as primeiras {rows}: {failed}. Estas são enviadas sozinhas primeiro, como teste.',
  'reason.PAUSE_COST':
    'A linha {row} custou {cost} {currency}, e a linha {other_row} do mesmo tipo {other_cost} {currency}.',
  'reason.PAUSE_SPENT':
    'Gasto: {spent} {currency}{why, select, products {, sem contar os produtos} other {}}; aprovado: {approved} {currency}.',
  'reason.PAUSE_OTHER':
    'Para a linha {row} do lote {batch}, o serviço tem {difference, select, reference {outra referência} phone_number {outro número de telefone} product {outro produto} currency {outra moeda} amount {outro montante} other {outro pagamento}}.',
  'reason.PAUSE_PAID_TWICE':
    'A linha {row} do lote {batch} pode ter sido paga duas vezes: o serviço tem também o pagamento {topup_id}.',
  'reason.PAUSE_MOVED': 'O lote foi feito para {service}; a conta {account} está agora em {other_service}.',
  'reason.PAUSE_SHORT':
    'Para o lote inteiro faltam {missing}; nada foi enviado.{others, select, none {} other { Outros lotes ainda precisam de {others}.}}',
  'reason.PAUSE_REFUSED': 'O serviço diz: “{message}” ({service_code}).',
  'reason.APPROVAL_ALWAYS':
    'Segundo as regras desta instalação, {approvers, plural, one {outra pessoa tem de o aprovar} other {# outras pessoas têm de o aprovar}}.',
  'reason.APPROVAL_ROWS':
    'Linhas a pagar: {rows}. Acima de {most_rows}, {approvers, plural, one {outra pessoa tem de o aprovar} other {# outras pessoas têm de o aprovar}}.',
  'reason.APPROVAL_SUM':
    'Paga {amount} {currency}. Acima de {most_amount} {currency}, {approvers, plural, one {outra pessoa tem de o aprovar} other {# outras pessoas têm de o aprovar}}.',
  'reason.APPROVAL_PRODUCTS':
    'Compra produtos cujo preço só o serviço conhece: {approvers, plural, one {outra pessoa tem de o aprovar} other {# outras pessoas têm de o aprovar}}.',
};

/** The texts of failures and refusals: loaded with those of the later pages, or with the first failure. */
export const refusalTexts = { ...failures, ...refusals };
