#include "ports.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LISTENING = 10 }; // TCP_LISTEN, as both the kernel and /proc count

struct found {
    struct listener listeners[PORTS_LISTENERS];
    size_t count;
};

void ports_open(struct ports *ports, uint16_t first, uint16_t last)
{
    *ports = (struct ports){.first = first, .last = last};
    ports->netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
}

void ports_close(struct ports *ports)
{
    if (ports->netlink >= 0)
        close(ports->netlink);
    ports->netlink = -1;
}

static void add_listener(const struct ports *ports, struct found *found, uint64_t inode,
                         unsigned port)
{
    if (port >= ports->first && port <= ports->last && found->count < PORTS_LISTENERS)
        found->listeners[found->count++] = (struct listener){inode, (uint16_t)port};
}

// Netlink ---------------------------------------------------------------------

static bool ask(const struct ports *ports, unsigned char family)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 body;
    } question = {.head = {.nlmsg_len = sizeof question,
                           .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                           .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
                  .body = {.sdiag_family = family,
                           .sdiag_protocol = IPPROTO_TCP,
                           .idiag_states = 1u << LISTENING}};
    return send(ports->netlink, &question, sizeof question, 0) == (ssize_t)sizeof question;
}

// One datagram of the answer. False when it cannot be had; `*out_done` at its end.
static bool take_answers(const struct ports *ports, struct found *found, bool *out_done)
{
    _Alignas(struct nlmsghdr) char answer[16384];
    const ssize_t size = recv(ports->netlink, answer, sizeof answer, 0);
    if (size <= 0)
        return false;
    size_t left = (size_t)size;
    for (const struct nlmsghdr *head = (const void *)answer;
         left >= sizeof *head && head->nlmsg_len >= sizeof *head && head->nlmsg_len <= left;) {
        if (head->nlmsg_type == NLMSG_ERROR)
            return false;
        *out_done = head->nlmsg_type == NLMSG_DONE;
        if (*out_done)
            return true;
        struct inet_diag_msg socket_of;
        if (head->nlmsg_len >= NLMSG_HDRLEN + sizeof socket_of) {
            memcpy(&socket_of, (const char *)head + NLMSG_HDRLEN, sizeof socket_of);
            add_listener(ports, found, socket_of.idiag_inode, ntohs(socket_of.id.idiag_sport));
        }
        const size_t step = NLMSG_ALIGN(head->nlmsg_len);
        if (step >= left)
            break;
        left -= step;
        head = (const void *)((const char *)head + step);
    }
    return true;
}

static bool look_by_netlink(struct ports *ports, struct found *found)
{
    static const unsigned char FAMILIES[] = {AF_INET, AF_INET6};
    for (size_t i = 0; i < sizeof FAMILIES; i++) {
        bool done = false;
        if (!ask(ports, FAMILIES[i]))
            return false;
        while (!done) {
            if (!take_answers(ports, found, &done))
                return false;
        }
    }
    return true;
}

// Files -----------------------------------------------------------------------

static void look_by_file(const struct ports *ports, struct found *found, const char *path)
{
    char line[512];
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned port, state;
        unsigned long long inode;
        if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u %*u %llu",
                   &port, &state, &inode) == 3 &&
            state == LISTENING)
            add_listener(ports, found, inode, port);
    }
    if (file != NULL)
        fclose(file);
}

// -----------------------------------------------------------------------------

static bool was_there(const struct ports *ports, const struct listener *listener)
{
    for (size_t i = 0; i < ports->count; i++) {
        if (ports->listeners[i].inode == listener->inode &&
            ports->listeners[i].port == listener->port)
            return true;
    }
    return false;
}

size_t ports_look(struct ports *ports)
{
    struct found found;
    size_t fresh = 0;
    found.count = 0;
    if (ports->netlink >= 0 && !look_by_netlink(ports, &found))
        ports_close(ports);
    if (ports->netlink < 0) {
        found.count = 0;
        look_by_file(ports, &found, "/proc/net/tcp");
        look_by_file(ports, &found, "/proc/net/tcp6");
    }
    for (size_t i = 0; i < found.count; i++)
        fresh += !was_there(ports, &found.listeners[i]);
    memcpy(ports->listeners, found.listeners, found.count * sizeof *found.listeners);
    ports->count = found.count;
    return fresh;
}
