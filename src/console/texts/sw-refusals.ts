/** What went wrong, by the code of an error. */
const failures = {
  'failure.role': 'Jukumu lako haliruhusu hili.',
  'failure.changed': 'Mtu amebadilisha hili tangu ulipolifungua. Liangalie tena kabla ya kuamua.',
  'failure.unfinished': 'Seva ilikatizwa ikiwa inafanya hili. Angalia kama limefanyika; kama sivyo, jaribu tena.',
  'failure.unknown': 'Hakuna kitu kwenye anwani hii, au ni cha akaunti ambayo huwezi kuiona.',
  'failure.too_large': 'Hiyo ni zaidi ya kile seva inachokubali kwa mara moja. Gawanya faili.',
  'failure.draft_state': 'Faili hii haiwezi kubadilishwa hapa tena. Ipakie upya.',
  'failure.expired': 'Fungu limesubiri kwa muda mrefu mno. Likatae, kisha wasilisha faili upya.',
  'failure.run_id':
    'Kitambulisho cha mfululizo kina herufi, tarakimu, “.”, “_” au “-” kuanzia 1 hadi 64, na huanza kwa herufi au tarakimu.',
  'failure.busy': 'Programu nyingine inafanyia kazi akaunti hii. Jaribu tena baadaye.',
  'failure.service': 'Huduma haijibu. Jaribu tena baadaye.',
  'failure.credentials': 'Huduma haikubali vitambulisho vya akaunti. Msimamizi lazima avirekebishe.',
  'failure.state': 'Hali ya fungu au ya safu hairuhusu jambo hili. Liangalie tena.',
  'failure.refused': 'Seva haikukubali hili. Kagua ulichoandika, kisha ujaribu tena.',
  'failure.config': 'Mipangilio ya seva si sahihi. Msimamizi lazima airekebishe.',
  'failure.not_releasable':
    'Safu hii haiwezi kuruhusiwa hapa: fungu jingine lina rejea yake. Amua kuihusu huko, na uiruke hapa.',
  'failure.second_person': 'Mtu mwingine lazima afanye hili.',
  'failure.service_changed':
    'Akaunti sasa inaelekeza kwenye huduma tofauti na ya fungu hili. Msimamizi lazima airekebishe.',
  'failure.unreadable': 'Faili au folda haisomeki.',
  'failure.file': 'Faili haiwezi kulipwa jinsi ilivyo. Irekebishe, kisha uipakie tena.',
  'failure.ledger': 'Leja haiwezi kutumika. Msimamizi lazima aiangalie; hadi hapo hakuna kinachotumwa.',
  'failure.ledger_full': 'Diski ya leja imejaa. Msimamizi lazima aongeze nafasi; hakuna zaidi kilichotumwa.',
  'failure.ledger_io': 'Leja haikuweza kuandikwa. Msimamizi lazima akague diski yake.',
  'failure.ledger_busy': 'Programu nyingine inatumia leja. Jaribu tena baadaye.',
  'failure.backup': 'Nakala rudufu hii haiwezi kutumika. Chagua nyingine.',
  'failure.folder': 'Folda haiwezi kuandikwa. Msimamizi lazima airekebishe; leja ina kila kitu.',
  'failure.fenced': 'Mchakato mwingine umechukua kazi. Jaribu tena.',
  'failure.session': 'Kipindi chako hakilingani tena na ukurasa huu. Pakia ukurasa upya, kisha uingie.',
  'failure.provider': 'Mtoa utambulisho hajibu. Jaribu tena baadaye.',
  'failure.factor': 'Programu yako ya misimbo haiwezi kukaguliwa tena. Msimamizi lazima aweke upya ufikiaji wako.',
  'failure.shown_once': 'Hii ilionyeshwa mara moja, na haiwezi kuonyeshwa tena. Tengeneza nyingine.',
  'failure.details': 'Kwa ajili ya msaada, kwa Kiingereza',
  'failure.system': 'Mfumo wa uendeshaji unasema: {what}.',
  'system.full': 'diski imejaa ({code})',
  'system.forbidden': 'hairuhusiwi kufikiwa ({code})',
  'system.read_only': 'diski haiwezi kuandikwa ({code})',
  'system.missing': 'haipo ({code})',
  'system.exists': 'tayari ipo ({code})',
  'system.busy': 'programu nyingine inaitumia ({code})',
  'system.disk': 'diski ina hitilafu ({code})',
  'system.network': 'hakuna muunganisho ({code})',
  'system.other': 'hitilafu ({code})',
};

/** Why a person's request is refused, by code. */
const refusals = {
  'reason.BATCH_IS': 'Hali ya fungu ni “{batch_status}”, na hairuhusu jambo hili.',
  'reason.BATCH_CHANGED': 'Fungu limebadilika wakati huo huo. Liangalie tena.',
  'reason.BATCH_PAUSED': 'Mtu tayari amelisitisha fungu hili.',
  'reason.BATCH_NOT_PAUSED': 'Sitisha fungu kwanza: safu zake zinaweza kutumwa wakati wowote.',
  'reason.BATCH_FORGOTTEN': 'Majina na nambari za fungu hili zimefutwa: safu zake haziwezi kulipwa tena.',
  'reason.NOT_SUBMITTER': 'Ni {name} tu, aliyewasilisha fungu, anayeweza kuliondoa.',
  'reason.ROW_IS': 'Hali ya safu {row} ni “{row_status}”, si “{wanted_status}”.',
  'reason.ROW_CHANGED': 'Safu {row} imebadilika wakati huo huo. Iangalie tena.',
  'reason.ROW_LOOKED_UP': 'Safu {row} bado inaangaliwa. Amua tu kama uangalizi haupati chochote.',
  'reason.ROW_TOO_EARLY':
    'Huduma ilipokea safu {row} saa {sent_at} na bado inaweza kutoa matokeo. Unaweza kuamua kuanzia {from_at}.',
  'reason.ROW_UNANSWERED':
    'Huduma haisemi safu {row} imefikia wapi. Jaribu tena baadaye; kuanzia {from_at} unaweza kuamua bila jibu lake.',
  'reason.ROW_ANSWERED':
    '{why, select, own {Huduma sasa inasema “{service_status}” kuhusu safu {row}. Inaangaliwa tena.} other {Huduma ina malipo mengine ya safu {row} ({topup_id}): “{service_status}”. Huenda imelipa safu hii: iulize huduma.}}',
  'reason.ROW_LEFT_OUT': 'Safu {row} imeachwa nje ya faili. Irudishe kwanza.',
  'reason.REPORTS_MISSING': 'Bado hakuna ripoti kama hizo za fungu. Ziandike kwanza.',
  'reason.PERSON_EXISTS': 'Tayari kuna mtu mwenye jina {name} au mwenye barua pepe hii.',
  'reason.PERSON_UNKNOWN': 'Hakuna mtu mwenye jina {name}.',
  'reason.EMAIL_TAKEN': 'Mtu mwingine ana barua pepe hii.',
  'reason.LAST_ADMIN': '{name} ndiye msimamizi pekee. Mpe mtu mwingine jukumu hilo kwanza.',
  'reason.NAME_MISSING': 'Chagua jina.',
  'reason.APP_EXISTS': 'Tayari una programu ya misimbo. Iondoe kwanza.',
  'reason.API_KEY_EXISTS': 'Tayari kuna ufunguo wenye jina {name}. Chagua jina jingine, au batilisha ufunguo huo.',
  'reason.API_KEY_UNKNOWN': 'Hakuna ufunguo wenye jina {name}, au tayari umebatilishwa.',
  'reason.SESSION_ENDED': 'Kipindi hiki tayari kimeisha.',
  'reason.OWNER_UNFIT':
    '{name} hawezi kushughulikia safu hizi. Chagua mtu mwenye jukumu la “kuendesha” au “kutatua” kwa akaunti hii.',
  'reason.NUMBER_UNPAYABLE': 'Hii si nambari ya simu inayoweza kulipwa. Iandike kwa “+” na msimbo wa nchi.',
  'reason.ENDPOINTS_MAX': 'Idadi ya juu ya vituo imefikiwa: {count}. Futa kimoja kwanza.',
  'reason.ENDPOINT_LOCAL': 'Anwani hii ni ya seva yenyewe. Msimamizi lazima aruhusu anwani za ndani.',
  'reason.ENDPOINT_DISABLED': 'Kituo kimezimwa. Kiwashe kwanza.',
  'reason.TIME_PAST': 'Wakati huu umepita. Chagua wakati ujao.',
  'reason.TIMES_BACKWARDS': 'Mwisho uko kabla ya mwanzo. Chagua tarehe ya awali kwanza.',
  'reason.DAY_TO_COME': 'Siku hii bado haijafika. Chagua siku ambayo imeshaanza.',
  'reason.LINE_UNKNOWN': 'Mstari huu haupo tena. Linganisha tena.',
  'reason.JOB_UNKNOWN': 'Hakuna tena kazi yenye jina {job}.',
  'reason.FIX_UNFIT': 'Safu hizi haziwezi kurekebishwa hivi, au kwa thamani hii.',
  'reason.COLUMNS_UNCLEAR': 'Kwanza eleza maana ya kila safuwima.',
  'reason.INPUT_REFUSED': 'Seva haikubali ulichoandika. Kagua hiki: {fields}.',
  'reason.DOUBT_OPEN': 'Haijulikani kama hii ililipwa. airbatch inaangalia tena.',
  'reason.DOUBT_INTERRUPTED': 'Programu ilisimama wakati hii inatumwa. airbatch inaangalia kama ililipwa.',
  'reason.DOUBT_OTHER':
    'Mtu lazima aamue: kwa rejea ya safu {row} ya fungu {batch}, huduma ina {difference, select, reference {rejea nyingine} phone_number {nambari nyingine ya simu} product {bidhaa nyingine} currency {sarafu nyingine} other {kiasi kingine}}.',
  'reason.DOUBT_SEVERAL':
    'Mtu lazima aamue: huduma ina malipo kadhaa kwa rejea ya safu {row} ya fungu {batch}: {count}.',
  'reason.DOUBT_UNFOUND': 'Mtu lazima aamue: jibu la huduma linajipinga.',
  'reason.DOUBT_SAME_ERROR':
    'Mtu lazima aamue: huduma ilirudia hitilafu ileile ({http_status}), {times, plural, one {mara #} other {mara #}}. Huenda ni jibu lililohifadhiwa.',
  'reason.DOUBT_NOT_FOUND':
    'Mtu lazima aamue: ilitumwa {times, plural, one {mara #} other {mara #}}, na hakuna uangalizi ulioipata.',
  'reason.DOUBT_KEY_OLD': 'Mtu lazima aamue: ni ya zamani mno kutumwa tena kwa usalama, na huduma haina malipo yake.',
  'reason.DOUBT_REFUSED': 'Mtu lazima aamue: huduma imeikataa mara zote inazoweza kujaribiwa.',
  'reason.DOUBT_UNANSWERED': 'Mtu lazima aamue: huduma haikujibu uangalizi wowote kwa siku moja ({code}).',
  'reason.DOUBT_RESTORED': 'Mtu lazima aamue: huduma ina malipo {topup_id}, ambayo hayamo kwenye leja iliyorejeshwa.',
  'reason.DOUBT_EARLIER':
    'Mtu lazima aamue: huduma inasema “{service_status}” kuhusu jaribio la awali (nambari {generation}).',
  'reason.DOUBT_PAID_BEFORE':
    'Mtu lazima aamue: kwa jinsi huduma inavyosema sasa, huenda safu {row} ya fungu {batch} imelipa malipo yaleyale.',
  'reason.ROW_OVERDUE': 'Huduma haijatoa matokeo ndani ya muda inaouahidi.',
  'reason.PAUSE_FAILURES': 'Safu zilizoshindwa kati ya za mwisho ({rows}): {failed}. Zaidi ya {percent}% haziruhusiwi.',
  'reason.PAUSE_FIRST_ROWS':
    'Safu zilizoshindwa kati ya za kwanza ({rows}): {failed}. Hizi hutumwa peke yake kwanza, kama jaribio.',
  'reason.PAUSE_COST':
    'Safu {row} iligharimu {cost} {currency}, na safu {other_row} ya aina hiyo hiyo {other_cost} {currency}.',
  'reason.PAUSE_SPENT':
    'Zilizotumika: {spent} {currency}{why, select, products {, bila kuhesabu bidhaa} other {}}; zilizoidhinishwa: {approved} {currency}.',
  'reason.PAUSE_OTHER':
    'Kwa safu {row} ya fungu {batch}, huduma ina {difference, select, reference {rejea nyingine} phone_number {nambari nyingine ya simu} product {bidhaa nyingine} currency {sarafu nyingine} amount {kiasi kingine} other {malipo mengine}}.',
  'reason.PAUSE_PAID_TWICE':
    'Huenda safu {row} ya fungu {batch} imelipwa mara mbili: huduma ina pia malipo {topup_id}.',
  'reason.PAUSE_MOVED': 'Fungu lilitengenezwa kwa {service}; sasa akaunti {account} iko kwa {other_service}.',
  'reason.PAUSE_SHORT':
    'Kwa fungu lote zinakosekana {missing}; hakuna kilichotumwa.{others, select, none {} other { Mafungu mengine bado yanahitaji {others}.}}',
  'reason.PAUSE_REFUSED': 'Huduma inasema: “{message}” ({service_code}).',
  'reason.APPROVAL_ALWAYS':
    'Kwa kanuni za hapa, {approvers, plural, one {mtu mwingine lazima aliidhinishe} other {watu wengine # lazima waliidhinishe}}.',
  'reason.APPROVAL_ROWS':
    'Safu za kulipa: {rows}. Zikizidi {most_rows}, {approvers, plural, one {mtu mwingine lazima aliidhinishe} other {watu wengine # lazima waliidhinishe}}.',
  'reason.APPROVAL_SUM':
    'Linalipa {amount} {currency}. Ikizidi {most_amount} {currency}, {approvers, plural, one {mtu mwingine lazima aliidhinishe} other {watu wengine # lazima waliidhinishe}}.',
  'reason.APPROVAL_PRODUCTS':
    'Linanunua bidhaa ambazo huduma pekee inajua bei zake: {approvers, plural, one {mtu mwingine lazima aliidhinishe} other {watu wengine # lazima waliidhinishe}}.',
};

/** The texts of failures and refusals: loaded with those of the later pages, or with the first failure. */
export const refusalTexts = { ...failures, ...refusals };
