// mdBook takes every link to a `.md` file for one to a page of the book. Those that lead out of it are files of the repository.
for (const link of document.querySelectorAll("main a")) {
    const target = link.getAttribute("href");
    if (target && target.startsWith(path_to_root + "../")) {
        link.setAttribute("href", target.replace(/\.html(#|$)/, ".md$1"));
    }
}
