/** The style of report.html. The page has no other style, and its content policy names this one by its digest. */
export const pageStyle = `
:root{color-scheme:light dark;--ink:#17202e;--soft:#5b6675;--line:#dde3ea;--hair:#edf0f4;--paper:#fff;--ground:#f3f5f8;--brand:#1f3a5f;
--note:#fff6d9;--note-line:#e5c765;--note-ink:#5c4500;--bad:#fdeceb;--bad-ink:#8d1f17;--wrong:#fdf1e1;--wrong-ink:#7a4300;
--completed:#1c8a4d;--failed:#c8362b;--invalid:#e08a2e;--held:#8a63c7;--in_doubt:#d6006c;--accepted:#2b7fc4;--sending:#2b7fc4;--ready:#9fb3c8;--skipped:#7c8896;--cancelled:#a9a29a}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e3e8ef;--soft:#a3afbe;--line:#2d3948;--hair:#243040;--paper:#18212d;--ground:#0f161f;--brand:#1b3350;
--note:#332a10;--note-line:#75602a;--note-ink:#f3dc9b;--bad:#41201f;--bad-ink:#ffb9b2;--wrong:#3a2a15;--wrong-ink:#f5cb96;
--completed:#37a86a;--failed:#e2655a;--invalid:#e59a49;--held:#a68be0;--in_doubt:#f04f9f;--accepted:#519edd;--sending:#519edd;--ready:#7488a0;--skipped:#8994a3;--cancelled:#918a82}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;-webkit-text-size-adjust:100%}
main{max-width:62rem;margin:0 auto;padding:0 1rem 3rem}
header{background:var(--brand);color:#fff;padding:1.6rem 0 4.2rem}
header>div{max-width:62rem;margin:0 auto;padding:0 1rem}
header p{margin:.2rem 0 0;color:#c9d6e6}
h1{font-size:1.6rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
p,li{overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:0 0 .8rem}
h3{font-size:.92rem;margin:1.2rem 0 .4rem}
section{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:1.2rem 1.3rem;margin:0 0 1rem}
.verdict{margin-top:-3rem;border-left:6px solid var(--soft)}
.verdict.good{border-left-color:var(--completed)}.verdict.attention{border-left-color:var(--invalid)}.verdict.open{border-left-color:var(--accepted)}
.verdict p{font-size:1.3rem;font-weight:650;line-height:1.35;margin:0}
.verdict ul{margin:.7rem 0 0;padding-left:1.1rem}
.sandbox{background:var(--note);border-color:var(--note-line);color:var(--note-ink);font-weight:600;padding:.7rem 1.3rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:1rem;margin:0 0 1rem}
.tile{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:.9rem 1.1rem}
.tile b{display:block;font-size:1.35rem;line-height:1.3;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.tile.many b{font-size:.95rem;line-height:1.5}
.tile span{color:var(--soft);font-size:.86rem}
.two{display:grid;grid-template-columns:1fr 1fr;gap:1rem;margin:0 0 1rem}.two>section{min-width:0;margin:0}.two>section:only-child{grid-column:1/-1}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:600;color:var(--soft);font-size:.82rem;border-bottom:1px solid var(--line);padding:.3rem .8rem .3rem 0;vertical-align:bottom}
td{padding:.38rem .8rem .38rem 0;border-bottom:1px solid var(--hair);vertical-align:top;overflow-wrap:anywhere}
tr:last-child>td{border-bottom:0}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;white-space:nowrap}
.w{white-space:nowrap}
.name{overflow-wrap:break-word}
tr.sum>td{font-weight:650;border-top:1px solid var(--line)}
.soft{color:var(--soft)}.small{font-size:.86rem}
.digest{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.8rem;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1.2rem;margin:0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
svg{display:block;width:100%}
svg.bar{height:1.5rem;border-radius:5px;margin-bottom:.9rem}
svg.time{height:9rem;border-bottom:1px solid var(--soft)}
svg.share{height:.7rem;min-width:5rem;margin-top:.4rem}
svg.ticks{height:1.6rem;overflow:visible}svg.ticks.two{height:2.6rem}
.ticks line{stroke:var(--soft)}.ticks text{fill:var(--soft);font-size:.82rem;text-anchor:middle;font-variant-numeric:tabular-nums}
.axis span{white-space:nowrap}
.axis{display:flex;flex-wrap:wrap;justify-content:space-between;color:var(--soft);font-size:.82rem;margin-top:.3rem;gap:0 1rem}
.axis.top{margin:0 0 .4rem}
.key{display:inline-block;width:.8rem;height:.8rem;border-radius:3px;margin-right:.5rem;vertical-align:-.06rem}
.keys{display:flex;gap:1.2rem;flex-wrap:wrap}
.f-completed{fill:var(--completed)}.f-failed{fill:var(--failed)}.f-invalid{fill:var(--invalid)}.f-held{fill:var(--held)}.f-in_doubt{fill:var(--in_doubt)}.f-accepted{fill:var(--accepted)}.f-sending{fill:var(--sending)}.f-ready{fill:var(--ready)}.f-skipped{fill:var(--skipped)}.f-cancelled{fill:var(--cancelled)}
.equation{display:flex;flex-wrap:wrap;gap:.5rem .9rem;align-items:center;margin:.4rem 0 .2rem}
.equation div{background:var(--ground);border-radius:8px;padding:.5rem .8rem}
.equation b{display:block;font-variant-numeric:tabular-nums}
.equation i{font-style:normal;color:var(--soft);font-size:1.2rem}
.equation .odd{background:var(--bad);color:var(--bad-ink)}
.tag{display:inline-block;border-radius:99px;padding:.05rem .6rem;font-size:.82rem;background:var(--ground);white-space:nowrap}
.tag.failed,.tag.in_doubt{background:var(--bad);color:var(--bad-ink)}.tag.invalid,.tag.held{background:var(--wrong);color:var(--wrong-ink)}
footer{color:var(--soft);font-size:.86rem;padding:.5rem 0}
@media (max-width:44rem){
.two{grid-template-columns:1fr}
dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.6rem}
section{padding:1rem}
.verdict p{font-size:1.15rem}
table.stack thead{display:none}
table.stack tr{display:block;border-bottom:1px solid var(--line);padding:.6rem 0}
table.stack tr:last-child{border-bottom:0}
table.stack td{display:block;border:0;padding:.1rem 0;text-align:left;white-space:normal}
table.stack td:empty{display:none}
table.stack td.n>div{display:inline-block;margin-right:.3em}table.stack td.n>div:not(:last-of-type)::after{content:","}
table.stack td[data-name]:not(:empty)::before{content:attr(data-name) ": ";color:var(--soft)}
}
@media print{
@page{size:A4;margin:14mm}
html{font-size:11px}body{background:#fff;font-size:1rem}
h2{break-after:avoid}
.tile b{font-size:1.1rem}
.verdict p{font-size:1.1rem}
section{padding:.8rem 1rem;margin-bottom:.7rem}.two{margin-bottom:.7rem}
svg.time{height:7rem}
header{background:none;color:#000;padding:0 0 .6rem}header p{color:#444}
main,header>div{max-width:none;padding:0}
.verdict{margin-top:0}
section,.tile{break-inside:avoid;border-color:#ccc}
section.long{break-inside:auto}
tr{break-inside:avoid}
thead{display:table-header-group}
svg,.key,.verdict,.sandbox,.tag,.equation div{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
`;
