/* In place of what needs HDF5, in a build without. */
#include "io/catalogue.h"
#include "io/checkpoint.h"
#include "io/gadget.h"
#include "io/snapshot.h"
#include "io/table_h5.h"

oct_status oct_checkpoint_write(const oct_state *state, const char *path)
{
    (void)state, (void)path;
    return oct_feature_require("hdf5");
}

oct_status oct_checkpoint_read(oct_state *out, const char *path)
{
    (void)out, (void)path;
    return oct_feature_require("hdf5");
}

oct_status oct_checkpoint_read_share(oct_state *out, const char *path, oct_checkpoint_share share)
{
    (void)out, (void)path, (void)share;
    return oct_feature_require("hdf5");
}

oct_status oct_checkpoint_write_part(oct_checkpoint_part *out, const oct_state *own,
                                     const char *path, oct_checkpoint_share share)
{
    (void)out, (void)own, (void)path, (void)share;
    return oct_feature_require("hdf5");
}

oct_status oct_checkpoint_write_whole(const oct_state *first, const char *path,
                                      const oct_checkpoint_part *parts, uint32_t n)
{
    (void)first, (void)path, (void)parts, (void)n;
    return oct_feature_require("hdf5");
}

oct_status oct_checkpoint_sweep(const char *path)
{
    (void)path;
    return OCT_STATUS_OK;
}

oct_status oct_scene_restore(oct_scene **out, const char *checkpoint)
{
    (void)checkpoint;
    *out = NULL;
    return oct_feature_require("hdf5");
}

oct_status oct_snapshot_write(const oct_bodies *bodies, const oct_file_info *info,
                              const char *scene, const char *path)
{
    (void)bodies, (void)info, (void)scene, (void)path;
    return oct_feature_require("hdf5");
}

oct_status oct_snapshot_write_again(oct_snapshot_mold **mold, const oct_bodies *bodies,
                                    const oct_file_info *info, const char *scene, const char *path)
{
    (void)mold, (void)bodies, (void)info, (void)scene, (void)path;
    return oct_feature_require("hdf5");
}

void oct_snapshot_forget(oct_snapshot_mold *mold)
{
    (void)mold;
}

oct_status oct_snapshot_look(oct_snapshot_facts *out, const oct_bodies *bodies,
                             const oct_file_info *info, const char *path)
{
    (void)out, (void)bodies, (void)info, (void)path;
    return oct_feature_require("hdf5");
}

void oct_snapshot_join(oct_snapshot_facts *whole, const oct_snapshot_facts *part)
{
    (void)whole, (void)part;
}

oct_status oct_snapshot_write_part(oct_snapshot_part *out, const oct_bodies *bodies,
                                   const oct_file_info *info, const char *scene, const char *path,
                                   const oct_snapshot_facts *whole, uint32_t index, uint32_t of)
{
    (void)out, (void)bodies, (void)info, (void)scene, (void)path;
    (void)whole, (void)index, (void)of;
    return oct_feature_require("hdf5");
}

oct_status oct_snapshot_write_whole(const oct_bodies *like, const oct_file_info *info,
                                    const char *scene, const char *path,
                                    const oct_snapshot_facts *whole, const oct_snapshot_part *parts,
                                    uint32_t n)
{
    (void)like, (void)info, (void)scene, (void)path, (void)whole, (void)parts, (void)n;
    return oct_feature_require("hdf5");
}

oct_status oct_snapshot_read(oct_bodies *out, oct_file_info *info, const char *path, bool ours)
{
    (void)out, (void)info, (void)path, (void)ours;
    return oct_feature_require("hdf5");
}

oct_status oct_gadget_write(const oct_bodies *bodies, const oct_file_info *info, const char *path)
{
    (void)bodies, (void)info, (void)path;
    return oct_feature_require("hdf5");
}

oct_status oct_catalogue_save(const oct_groups *groups, const oct_file_info *info, const char *path)
{
    (void)groups, (void)info, (void)path;
    return oct_feature_require("hdf5");
}

oct_status oct_table_save(const char *path, const oct_table_column *columns, size_t n, size_t rows)
{
    (void)path, (void)columns, (void)n, (void)rows;
    return oct_feature_require("hdf5");
}
